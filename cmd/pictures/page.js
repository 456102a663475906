// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a page does besides being read: icicles open, and rows over time are
 * drawn.  All that is shown stands in the page already: places of nodes in their
 * data attributes, rows over time in #course, and the nodes these are of in #nodes;
 * counts of events over time in #counts.
 */
'use strict';
(() => {

const HEIGHT = 320, LABEL = 13;

const make = (name, where, text) => {
	const element = document.createElement(name);

	if (text !== undefined)
		element.textContent = text;
	if (where)
		where.append(element);
	return element;
};
const read = id => JSON.parse(document.getElementById(id)?.textContent || '[]');
const style = name => getComputedStyle(document.body).getPropertyValue(name);

/* --- the icicle ------------------------------------------------------------- */

class Icicle {
	/* opened: called when another node fills the picture */
	constructor(figure, opened) {
		this.svg = figure.querySelector('svg');
		this.opened = opened || (() => {});
		this.top = null;
		this.nodes = [...figure.querySelectorAll('svg.node')].map(readNode);
		for (const node of this.nodes)
			hang(node, this.nodes);
		this.path = document.createElement('nav');
		this.path.setAttribute('aria-label', 'Opened nodes');
		this.svg.before(this.path);
		this.says = make('p', figure);
		this.says.className = 'says';
		/* so high on any screen, so that labels can be read */
		this.svg.style.height = HEIGHT + 'px';
		this.svg.setAttribute('role', 'tree');
		this.svg.setAttribute('aria-label',
			'Nodes: arrow keys move, Enter opens, Escape goes up');
		this.listen();
		this.open(null);
		new ResizeObserver(() => this.place()).observe(this.svg);
	}

	listen() {
		for (const node of this.nodes) {
			node.element.onclick = () => this.open(
				node === this.top ? node.above : node, node);
			node.element.onfocus = node.element.onmouseenter =
				() => this.tell(node);
			node.element.onkeydown = event => this.key(event, node);
		}
	}

	isInside(node) {
		return !this.top || node === this.top ||
			(node.depth > this.top.depth &&
			 node.from >= this.top.from && node.to <= this.top.to);
	}

	/* Lets a node, or with null the whole tree, fill the picture. */
	open(top, focus) {
		this.top = top;
		this.shown = this.nodes.filter(node => this.isInside(node));
		this.place();
		this.putPath();
		const current = focus && this.shown.includes(focus) ? focus
			: top || this.nodes[0];
		for (const node of this.nodes)
			node.element.setAttribute('tabindex',
				node === current ? 0 : -1);
		if (focus && current)
			current.element.focus();
		if (current)
			this.tell(current);
		this.opened(this);
	}

	/* What the node that fills the picture is made of. */
	below() {
		if (!this.top)
			return this.nodes.filter(node => !node.depth);
		return this.top.below.length ? this.top.below : [this.top];
	}

	place() {
		const width = this.svg.clientWidth || 960;
		const first = this.top ? this.top.depth : 0;
		const from = this.top ? this.top.from : 0;
		const room = this.top ? this.top.to - this.top.from : 1;
		const depth = Math.max(...this.shown.map(node => node.depth), 0);
		const column = width / (depth - first + 1);

		this.svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
		for (const node of this.nodes)
			node.element.style.display =
				this.shown.includes(node) ? '' : 'none';
		for (const node of this.shown) {
			const height = (node.to - node.from) / room * HEIGHT;
			const place = {
				x: (node.depth - first) * column,
				y: (node.from - from) / room * HEIGHT,
				width: column, height,
			};

			for (const name in place)
				node.element.setAttribute(name, place[name]);
			node.text.style.display = height < LABEL ? 'none' : 'inline';
			node.rect.style.stroke = height < 3 ? 'none' : '';
		}
	}

	putPath() {
		const nodes = [];

		for (let node = this.top; node; node = node.above)
			nodes.unshift(node);
		this.path.replaceChildren();
		for (const node of [null, ...nodes]) {
			const button = make('button', this.path,
				node ? node.name : 'whole tree');

			button.disabled = node === this.top;
			button.onclick = () => this.open(node);
		}
	}

	tell(node) {
		this.says.textContent = node.title;
	}

	move(node) {
		if (!node)
			return;
		for (const other of this.nodes)
			other.element.setAttribute('tabindex', other === node ? 0 : -1);
		node.element.focus();
	}

	key(event, node) {
		const column = this.shown.filter(other => other.depth === node.depth);
		const at = column.indexOf(node);
		const keys = {
			ArrowUp: () => this.move(column[at - 1]),
			ArrowDown: () => this.move(column[at + 1]),
			ArrowRight: () => this.move(node.below[0]),
			ArrowLeft: () => this.shown.includes(node.above) &&
				this.move(node.above),
			Home: () => this.move(column[0]),
			End: () => this.move(column[column.length - 1]),
			Enter: () => this.open(node, node),
			' ': () => this.open(node, node),
			Escape: () => this.top &&
				this.open(this.top.above, this.top),
		};

		if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		keys[event.key]();
	}
}

function readNode(element) {
	const data = element.dataset, title = element.querySelector('title');
	const rect = element.querySelector('rect');
	const node = {
		element, index: +data.node, depth: +data.depth,
		from: +data.from, to: +data.to,
		title: title.textContent, name: title.textContent.split(':')[0],
		text: element.querySelector('text'), rect,
		colour: rect.getAttribute('fill'),
		above: null, below: [],
	};

	element.setAttribute('role', 'treeitem');
	element.setAttribute('aria-level', node.depth + 1);
	element.setAttribute('aria-label', node.title);
	return node;
}

function hang(node, nodes) {
	const middle = (node.from + node.to) / 2;

	node.above = nodes.find(other => other.depth === node.depth - 1 &&
		other.from <= middle && middle <= other.to) || null;
	if (node.above)
		node.above.below.push(node);
}

/* --- the flame graph -------------------------------------------------------- */

const BAR_LABEL = 30;

/* Of stacks, each bar is above its caller's: a click makes one as wide as all. */
class Flame {
	constructor(figure) {
		this.svg = figure.querySelector(':scope > svg');
		this.bars = [...this.svg.querySelectorAll('svg.bar')].map(readBar);
		this.nav = make('nav');
		this.svg.before(this.nav);
		this.search = make('input', this.nav);
		this.search.type = 'search';
		this.search.placeholder = 'Search functions';
		this.search.setAttribute('aria-label', 'Search functions');
		this.search.oninput = () => this.find();
		this.whole = make('button', this.nav, 'all');
		this.whole.onclick = () => this.zoom(null);
		this.says = make('p');
		this.says.className = 'says';
		this.says.setAttribute('aria-live', 'polite');
		this.svg.after(this.says);
		for (const bar of this.bars) {
			bar.element.onclick = () => this.zoom(bar);
			bar.element.onmouseenter = () => this.tell(bar.title);
		}
		figure.onkeydown = event => event.key === 'Escape' && this.zoom(null);
		this.zoom(null);
		new ResizeObserver(() => this.label()).observe(this.svg);
	}

	tell(text) {
		this.says.textContent = text;
	}

	/* What is below the bar is as wide, and paler. */
	zoom(top) {
		const from = top ? top.from : 0, part = top ? top.part : 1;

		this.part = part;
		this.whole.disabled = !top;
		for (const bar of this.bars) {
			const below = top && bar.depth < top.depth &&
				bar.from <= from + 1e-6 && bar.to >= from + part - 1e-6;
			const above = !top || (bar.depth >= top.depth &&
				bar.from >= from - 1e-6 && bar.to <= from + part + 1e-6);

			bar.shown = below ? 1 : above ? bar.part / part : 0;
			bar.element.style.display = bar.shown ? '' : 'none';
			bar.element.style.opacity = below ? 0.5 : '';
			bar.element.setAttribute('x', below ? 0
				: 100 * (bar.from - from) / part + '%');
			bar.element.setAttribute('width', 100 * bar.shown + '%');
		}
		this.label();
		this.tell(top ? top.title : '');
	}

	label() {
		const width = this.svg.clientWidth || 960;

		for (const bar of this.bars)
			bar.text.style.display = bar.shown * width < BAR_LABEL
				? 'none' : 'inline';
	}

	/* A function within itself counts once. */
	find() {
		const text = this.search.value.toLowerCase(), names = new Set();
		let part = 0, end = -1;

		for (const bar of this.bars) {
			bar.found = text && bar.name.toLowerCase().includes(text);
			bar.element.classList.toggle('found', !!bar.found);
			if (bar.found)
				names.add(bar.name);
		}
		for (const bar of this.bars.filter(bar => bar.found)
			.sort((a, b) => a.from - b.from || b.part - a.part)) {
			if (bar.from < end - 1e-6)
				continue;
			part += bar.part;
			end = bar.to;
		}
		this.tell(text ? `${names.size} function${names.size === 1 ? '' : 's'}, ` +
			`${(100 * part).toFixed(1)} % of the events` : '');
	}
}

function readBar(element) {
	const { from, part, depth } = element.dataset;
	const title = element.querySelector('title').textContent;
	const text = element.querySelector('text');

	return { element, title, text, name: text.textContent, depth: +depth,
		 from: +from, part: +part, to: +from + +part };
}

/* --- rows over time --------------------------------------------------------- */

const keyOf = (id, pmu) => id + '\n' + pmu;

/* A thread has rows only while it runs: runs are [first, end) without a gap. */
function add(row, point) {
	const { points, runs } = row;

	if (!points.length || points[points.length - 1].to !== point.from)
		runs.push([points.length, points.length]);
	points.push(point);
	runs[runs.length - 1][1] = points.length;
}

/* {key: {id, pmu, points: [{from, to, values}], runs}} */
function readTimeline() {
	const rows = new Map();
	let from = 0;

	for (const [to, of] of read('course')) {
		for (const [id, pmu, , , values] of of) {
			const key = keyOf(id, pmu);

			if (!rows.has(key))
				rows.set(key, { id, pmu, points: [], runs: [] });
			add(rows.get(key), { from, to, values });
		}
		from = to;
	}
	return rows;
}

/* Means of what would share a pixel, weighted by time; other rows as they are. */
function squeeze(row, pixels) {
	const first = row.points[0].from;
	const width = (row.points[row.points.length - 1].to - first) / pixels;
	const squeezed = { points: [], runs: [] };
	let bin = null;

	if (row.points.length <= 2 * pixels)
		return row;
	for (const { from, to, values } of row.points) {
		const at = Math.floor((from - first) / width);

		if (!bin || bin.at !== at || bin.to !== from) {
			bin = { at, from, to, values: values.map(() => null),
				times: values.map(() => 0) };
			add(squeezed, bin);
		}
		bin.to = to;
		values.forEach((value, i) => {
			if (typeof value !== 'number')
				return;
			bin.times[i] += to - from;
			bin.values[i] += (value - bin.values[i]) *
				(to - from) / bin.times[i];
		});
	}
	return squeezed;
}

/* 1, 2 or 5 times a power of ten: about so many steps. */
function niceStep(range, steps) {
	const least = range / steps, ten = 10 ** Math.floor(Math.log10(least));

	return [1, 2, 5, 10].map(by => by * ten).find(step => step >= least);
}

/* A colour between two of "#rrggbb". */
function mix(a, b, part) {
	const of = (colour, i) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);

	return '#' + [0, 1, 2].map(i => Math.round(of(a, i) +
		(of(b, i) - of(a, i)) * part).toString(16).padStart(2, '0')).join('');
}

/* A canvas as wide as the page, sharp on any screen, with axes. */
class Plot {
	constructor(where, height, label) {
		this.height = height;
		this.canvas = make('canvas', where);
		this.canvas.setAttribute('role', 'img');
		this.canvas.setAttribute('aria-label', label);
		new ResizeObserver(() => this.resize()).observe(where);
		plots.push(this);
	}

	resize() {
		if (this.canvas.parentNode.clientWidth !== this.drawn)
			this.draw();
	}

	begin() {
		const ratio = window.devicePixelRatio || 1;
		const width = this.canvas.parentNode.clientWidth;

		this.drawn = width;
		this.canvas.width = width * ratio;
		this.canvas.height = this.height * ratio;
		this.canvas.style.height = this.height + 'px';
		this.left = 44;
		this.width = width - this.left - 4;
		this.bottom = this.height - 22;
		const to = this.canvas.getContext('2d');

		to.scale(ratio, ratio);
		to.font = '12px sans-serif';
		to.textBaseline = 'middle';
		return to;
	}

	x(time) {
		return this.left + (time - this.first) / (this.last - this.first) *
			this.width;
	}

	time(x) {
		return this.first + (x - this.left) / this.width *
			(this.last - this.first);
	}

	drawTimes(to) {
		const step = niceStep(this.last - this.first, this.width / 90);

		to.fillStyle = to.strokeStyle = style('--text');
		to.textAlign = 'center';
		for (let time = Math.ceil(this.first / step) * step;
		     time <= this.last; time += step) {
			to.fillRect(this.x(time), this.bottom, 1, 4);
			to.fillText(+time.toPrecision(12) + ' s',
				Math.min(this.x(time), this.left + this.width - 14),
				this.bottom + 12);
		}
	}
}

const plots = [];

/* A row over time, of which an interval can be chosen. */
class Timeline extends Plot {
	constructor(where, row, height, label) {
		super(where, height, label + ': arrow keys tell each interval');
		this.row = row;
		this.first = row.points[0].from;
		this.last = row.points[row.points.length - 1].to;
		this.at = -1;
		this.canvas.tabIndex = 0;
		this.legend = make('p', where);
		this.legend.className = 'legend';
		this.legend.setAttribute('aria-live', 'polite');
		this.canvas.onmousemove = event => this.point(this.find(
			this.time(event.offsetX)));
		this.canvas.onkeydown = event => {
			const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

			if (!step)
				return;
			event.preventDefault();
			this.point(this.at + step);
		};
	}

	/* Along the steps of heights, forwards or back. */
	trace(to, heights, first, end, step) {
		const { points } = this.steps;

		for (let i = first; i !== end; i += step) {
			const ends = [this.x(points[i].from), this.x(points[i].to)];
			const y = this.y(heights[i]);

			if (i === first && step > 0)
				to.moveTo(ends[0], y);
			to.lineTo(ends[step > 0 ? 0 : 1], y);
			to.lineTo(ends[step > 0 ? 1 : 0], y);
		}
	}

	drawCursor(to) {
		const point = this.row.points[this.at];

		if (!point)
			return;
		to.strokeStyle = style('--text');
		to.lineWidth = 1;
		to.strokeRect(this.x(point.from), 4,
			Math.max(this.x(point.to) - this.x(point.from), 1),
			this.bottom - 4);
	}

	/* The point at a time, by halves. */
	find(time) {
		const { points } = this.row;
		let low = 0, high = points.length - 1;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (points[middle].to < time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	point(at) {
		this.at = Math.min(Math.max(at, 0), this.row.points.length - 1);
		this.draw();
	}

	/* What a pixel is, where it is several intervals. */
	tellMean() {
		if (this.steps !== this.row)
			make('span', this.legend, 'a pixel is the mean of ' +
				`${Math.round(this.row.points.length /
				this.steps.points.length)} intervals`);
	}
}

/* The children of a node, one upon the other. */
class Areas extends Timeline {
	constructor(where, row) {
		super(where, row, 200, 'Shares over time');
	}

	show(nodes, whole) {
		this.series = nodes.map((node, i) => ({
			index: node.index, name: node.name,
			colour: whole ? mix(node.colour, '#ffffff', i % 2 * 0.45)
				: node.colour,
		}));
		this.whole = whole;
		this.most = whole ? 0 : 100;
		for (const { values } of this.row.points)
			this.most = Math.max(this.most, this.sum(values),
				whole ? values[whole.index] : 0);
		this.draw();
	}

	sum(values) {
		return this.series.reduce((sum, { index }) =>
			sum + Math.max(values[index], 0), 0);
	}

	y(value) {
		return this.bottom - value / (this.most || 1) * (this.bottom - 8);
	}

	draw() {
		if (!this.series || !this.canvas.parentNode.clientWidth)
			return;
		const to = this.begin();

		this.steps = squeeze(this.row, this.width);
		const tops = this.steps.points.map(() => 0);

		this.labels = [];
		for (const series of this.series)
			this.drawArea(to, series, tops);
		if (this.whole)
			this.drawWhole(to);
		to.fillStyle = '#000';
		to.textAlign = 'center';
		for (const label of this.labels)
			to.fillText(...label);
		this.drawValues(to);
		this.drawTimes(to);
		this.drawCursor(to);
		this.tell();
	}

	/* A step for each interval; one without a value stays empty. */
	drawArea(to, { index, name, colour }, tops) {
		const { points } = this.steps;
		const below = tops.slice();

		points.forEach(({ values }, i) => {
			tops[i] += Math.max(values[index], 0) || 0;
		});
		to.beginPath();
		for (const [first, end] of this.steps.runs) {
			this.trace(to, tops, first, end, 1);
			this.trace(to, below, end - 1, first - 1, -1);
			to.closePath();
		}
		to.fillStyle = colour;
		to.fill();
		/* not colour alone tells areas apart */
		to.strokeStyle = '#fff';
		to.lineWidth = 1;
		to.beginPath();
		for (const [first, end] of this.steps.runs)
			this.trace(to, tops, first, end, 1);
		to.stroke();
		this.place(to, name, below, tops);
	}

	/* Puts a label where it has most room from end to end, or nowhere. */
	place(to, name, below, tops) {
		const { points } = this.steps;
		const wanted = to.measureText(name).width + 8;
		let best = null, end = 0;

		for (let i = 0; i < points.length; i++) {
			const from = this.x(points[i].from);

			while (end < points.length &&
			       this.x(points[Math.max(end - 1, i)].to) < from + wanted)
				end++;
			if (this.x(points[Math.max(end, i + 1) - 1].to) < from + wanted)
				break;
			const low = this.y(Math.max(...below.slice(i, Math.max(end, i + 1))));
			const high = this.y(Math.min(...tops.slice(i, Math.max(end, i + 1))));

			if (low - high >= LABEL && (!best || low - high > best.room))
				best = { room: low - high, y: (low + high) / 2,
					x: from + wanted / 2 };
		}
		if (best)
			this.labels.push([name, best.x, best.y]);
	}

	drawWhole(to) {
		to.beginPath();
		for (const { from, to: end, values } of this.steps.points) {
			const y = this.y(values[this.whole.index]);

			to.moveTo(this.x(from), y);
			to.lineTo(this.x(end), y);
		}
		to.strokeStyle = style('--text');
		to.lineWidth = 1.5;
		to.stroke();
	}

	drawValues(to) {
		const step = niceStep(this.most, 4);

		to.fillStyle = style('--text');
		to.textAlign = 'right';
		for (let value = 0; value <= this.most; value += step)
			to.fillText(+value.toPrecision(6) + ' %', this.left - 5,
				this.y(value));
	}

	tell() {
		const point = this.row.points[this.at];

		this.legend.replaceChildren();
		make('b', this.legend, point ? `${+point.to.toFixed(3)} s` :
			this.whole ? `below ${this.whole.name}` : 'over time');
		if (!point)
			this.tellMean();
		for (const { index, name, colour } of this.series) {
			const item = make('span', this.legend);

			make('i', item).style.background = colour;
			item.append(point ? `${name} ${show(point.values[index])}` :
				name);
		}
	}
}

/* 1234567 as "1.235 M"; a number of four digits */
function round(value) {
	const size = Math.abs(value);
	const [by, letter] = [[1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e4, ' k', 1e3]]
		.map(([from, word, of]) => size >= from && [of || from, word])
		.find(of => of) || [1, ''];

	return +(value / by).toPrecision(4) + letter;
}

/* What is no share: a line on a scale of its own. */
class Line extends Timeline {
	constructor(where, row, { index, name, unit }) {
		super(where, row, 90, `${name} over time`);
		Object.assign(this, { index, name, unit });
		const values = row.points.map(({ values: of }) => of[index])
			.filter(value => typeof value === 'number');

		this.most = Math.max(0, ...extremes(values));
		this.least = Math.min(0, ...extremes(values));
		this.draw();
	}

	y(value) {
		return this.bottom - (value - this.least) /
			(this.most - this.least || 1) * (this.bottom - 8);
	}

	/* An interval without a value is a gap. */
	drawLine(to) {
		const heights = this.steps.points.map(({ values }) => values[this.index]);
		const has = i => typeof heights[i] === 'number';

		to.beginPath();
		for (const [first, end] of this.steps.runs) {
			for (let i = first, next; i < end; i = next) {
				for (next = i + 1; has(i) && next < end && has(next);)
					next++;
				if (has(i))
					this.trace(to, heights, i, next, 1);
			}
		}
		to.strokeStyle = style('--text');
		to.lineWidth = 1.5;
		to.stroke();
	}

	draw() {
		if (!this.canvas.parentNode.clientWidth)
			return;
		const to = this.begin();

		this.left = 64;
		this.width = this.canvas.parentNode.clientWidth - this.left - 4;
		this.steps = squeeze(this.row, this.width);
		this.drawLine(to);
		this.drawEnds(to);
		this.drawTimes(to);
		this.drawCursor(to);
		this.tell();
	}

	drawEnds(to) {
		to.fillStyle = style('--text');
		to.textAlign = 'right';
		for (const value of new Set([this.least, 0, this.most]))
			to.fillText(round(value), this.left - 5, this.y(value));
	}

	tell() {
		const point = this.row.points[this.at];

		this.legend.replaceChildren();
		make('b', this.legend, this.name);
		if (!point) {
			make('span', this.legend, this.unit);
			this.tellMean();
			return;
		}
		const value = point.values[this.index];

		make('span', this.legend, `${+point.to.toFixed(3)} s: ` +
			(typeof value === 'number' ? `${round(value)} ${this.unit}`
				: 'no value'));
	}
}

/* Of many numbers, which are too many for arguments. */
const extremes = values => values.length ? [
	values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b)),
] : [];

const show = value => typeof value === 'number' ? value.toFixed(1) + ' %' :
	'no value';

/* --- CPUs, threads, cgroups over time --------------------------------------- */

/* Light to dark, for all eyes: the scale grows in lightness only. */
/* 0 is no white, which is what has no value. */
const SCALE = ['#deebf7', '#b9d4ea', '#6baed6', '#2171b5', '#08306b'];

function colourOf(part) {
	const at = Math.min(Math.max(part, 0), 1) * (SCALE.length - 1);
	const low = Math.min(Math.floor(at), SCALE.length - 2);

	return mix(SCALE[low], SCALE[low + 1], at - low);
}

const MAX_ROWS = 256, MAX_LINES = 64;

class Heat extends Plot {
	constructor(where, rows, nodes) {
		const size = Math.min(Math.max(Math.floor(400 / rows.length), 3), 18);

		super(where, size * rows.length + 24, 'A node over time in each row');
		Object.assign(this, { rows, nodes, size, node: 0 });
		this.first = Math.min(...rows.map(row => row.points[0].from));
		this.last = Math.max(...rows.map(row =>
			row.points[row.points.length - 1].to));
		this.legend = make('p', where);
		this.legend.className = 'legend';
		this.canvas.onmousemove = event => this.tell(event);
		this.canvas.onclick = event => openRow(this.rowAt(event));
	}

	begin() {
		const to = super.begin();

		this.left = 110;
		this.width = this.canvas.parentNode.clientWidth - this.left - 4;
		return to;
	}

	/*
	 * From 0 to 100 %, as in all maps of the page.  Of several intervals in a pixel,
	 * the largest value counts.
	 */
	draw() {
		if (!this.canvas.parentNode.clientWidth)
			return;
		const to = this.begin();
		const colours = Array.from({ length: 101 }, (_, i) => colourOf(i / 100));

		this.rows.forEach((row, i) => {
			const cells = new Map();

			for (const { from, to: end, values } of row.points) {
				const value = values[this.node];
				const x = Math.floor(this.x(from));
				const width = Math.ceil(this.x(end)) - x;
				const old = cells.get(x);

				if (typeof value === 'number' &&
				    (!old || old.value < value))
					cells.set(x, { value, width });
			}
			for (const [x, { value, width }] of cells) {
				to.fillStyle = colours[Math.round(
					Math.min(Math.max(value, 0), 100))];
				to.fillRect(x, i * this.size, width, this.size - 1);
			}
		});
		this.drawNames(to);
		this.drawTimes(to);
		this.tell();
	}

	drawNames(to) {
		const every = Math.ceil(12 / this.size);

		to.fillStyle = style('--text');
		to.textAlign = 'right';
		this.rows.forEach((row, i) => {
			if (i % every === 0)
				to.fillText(row.id, this.left - 6,
					(i + 0.5) * this.size, this.left - 10);
		});
	}

	rowAt(event) {
		return this.rows[Math.floor(event.offsetY / this.size)];
	}

	tell(event) {
		const row = event && this.rowAt(event);
		const time = row && this.time(event.offsetX);
		const point = row && row.points.find(of => of.to >= time &&
			of.from <= time);

		this.legend.replaceChildren();
		make('span', this.legend, '0 %');
		for (let i = 0; i <= 10; i++)
			make('i', this.legend).style.background = colourOf(i / 10);
		make('span', this.legend, '100 %').className = 'end';
		if (point)
			make('b', this.legend, `${row.id}, ${+point.to.toFixed(3)} s: ` +
				show(point.values[this.node]));
	}
}

const sections = () => [...document.querySelectorAll('details.row')];

function openRow(row) {
	const section = row && sections().find(of =>
		of.dataset.id === row.id && of.dataset.pmu === row.pmu);

	if (!section)
		return;
	section.open = true;
	section.scrollIntoView();
}

/* One heat map for each PMU, with a choice of its nodes. */
function addHeat(rows, [pmu, ...nodes]) {
	const of = [...rows.values()].filter(row => row.pmu === pmu);

	if (of.length < 2)
		return;
	const section = document.createElement('section');
	const head = make('h2', section, `${pmu} over time: `);
	const choice = make('select', head);
	const hasValue = i => of.some(row =>
		row.points.some(({ values }) => typeof values[i] === 'number'));

	choice.setAttribute('aria-label', 'Node');
	nodes.forEach(([name, level, , unit], i) => {
		if (!level || unit[0] !== '%' || !hasValue(i))
			return;
		make('option', choice, name).value = i;
	});
	if (!choice.options.length)
		return;
	sections()[0].before(section);
	if (of.length > MAX_ROWS)
		make('p', section, `The first ${MAX_ROWS} of ${of.length} rows`);
	const heat = new Heat(make('div', section), of.slice(0, MAX_ROWS), nodes);

	const first = [...choice.options].find(({ text }) => /backend/.test(text));

	(first || choice.options[0]).selected = true;
	choice.onchange = () => {
		heat.node = +choice.value;
		heat.draw();
	};
	choice.onchange();
}

/* --- the page --------------------------------------------------------------- */

/* Lines side by side; each has a row and what of it is drawn. */
function addLines(place, lines) {
	place.className = 'lines';
	for (const { row, ...of } of lines.slice(0, MAX_LINES))
		new Line(make('div', place), row, of);
	if (lines.length > MAX_LINES)
		make('p', place, `The first ${MAX_LINES} of ${lines.length} over time`);
}

/* The metrics of a row that are outside of its tree. */
function addMetrics(section, row) {
	const [, ...nodes] = read('nodes').find(([pmu]) => pmu === row.pmu) || [];
	const lines = nodes.map(([name, level, , unit], index) =>
		({ row, index, name, unit, level })).filter(({ level, index }) => !level &&
		row.points.some(({ values }) => typeof values[index] === 'number'));

	if (!lines.length)
		return;
	const place = document.createElement('div');

	section.querySelector('details.values').before(place);
	addLines(place, lines);
}

/* Counts of events: rates, as intervals may be unequal. */
function addCounts() {
	const rows = new Map();
	let from = 0;

	for (const [to, of] of read('counts')) {
		for (const [id, event, unit, count] of of) {
			const key = keyOf(id, event);

			if (!rows.has(key))
				rows.set(key, { id, event, unit, points: [], runs: [] });
			add(rows.get(key), { from, to, values: [
				typeof count === 'number' && to > from ?
					count / (to - from) : null] });
		}
		from = to;
	}
	const lines = [...rows.values()].filter(({ points }) => points.length > 1 &&
		points.some(({ values }) => values[0] !== null))
		.map(row => ({ row, index: 0, unit: `${row.unit}/s`,
			name: row.id === 'all' ? row.event : `${row.id} ${row.event}` }));

	if (!lines.length)
		return;
	const section = document.createElement('section');

	make('h2', section, 'Over time');
	document.querySelector('table.events').closest('section').after(section);
	addLines(make('div', section), lines);
}

/* A row is drawn when it is opened for the first time. */
function wake(section, rows) {
	const figure = section.querySelector('figure.icicle');
	const row = rows.get(keyOf(section.dataset.id, section.dataset.pmu));
	const hasTimeline = row && row.points.length > 1;
	let areas = null;

	if (!section.open || section.dataset.awake)
		return;
	section.dataset.awake = 'yes';
	if (hasTimeline)
		addMetrics(section, row);
	if (!figure)
		return;
	if (hasTimeline) {
		const place = document.createElement('div');

		place.className = 'course';
		figure.after(place);
		areas = new Areas(place, row);
	}
	new Icicle(figure, icicle => {
		const below = icicle.below();

		if (areas && below.length)
			areas.show(below, icicle.top);
	});
}

const MANY_VALUES = 24;

/* A long table would hide the picture behind it; its summary opens it again. */
function fold(values) {
	values.open = values.querySelectorAll('tbody tr').length <= MANY_VALUES;
}

/* Behind a number, a bar. */
function addBars(selector) {
	for (const data of document.querySelectorAll(selector)) {
		const part = Math.min(Math.max(+data.value, 0), 100);

		data.parentNode.style.backgroundImage = 'linear-gradient(to right, ' +
			`var(--bar) ${part}%, transparent ${part}%)`;
	}
}

/* Paper shows all, in light colours. */
function print(starts) {
	document.body.classList.toggle('printing', starts);
	for (const details of document.querySelectorAll('details')) {
		if (starts)
			details.dataset.was = details.open ? 'open' : '';
		details.open = starts || details.dataset.was === 'open';
	}
	if (starts)
		sections().forEach(section => wake(section, rows));
	for (const plot of plots)
		plot.draw();
}

const rows = readTimeline();

addCounts();
for (const nodes of read('nodes'))
	addHeat(rows, nodes);
for (const section of sections()) {
	wake(section, rows);
	section.addEventListener('toggle', () => wake(section, rows));
}
for (const link of document.querySelectorAll('table.rows a'))
	link.addEventListener('click', () =>
		document.querySelector(link.hash).open = true);
document.querySelectorAll('details.values').forEach(fold);
for (const figure of document.querySelectorAll('.sides figure'))
	new Icicle(figure);
for (const figure of document.querySelectorAll('figure.flame'))
	new Flame(figure);
addBars('table.rows td:not(:first-child) data, table.where tr > td:first-child data');
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change',
	() => plots.forEach(plot => plot.draw()));
document.documentElement.dataset.ready = Math.round(performance.now());

})();
