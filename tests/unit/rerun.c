// SPDX-License-Identifier: GPL-2.0-only
/* The command line that counts the same target again. */
#include "cmd/opts/rerun.h"

#include <stdlib.h>

#include "cmd/commands.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

#define MAX_WORDS 16

static const struct {
	const char *words[MAX_WORDS];
	const char *options, *command, *locate;
} rows[] = {
	{ { "-l", "2", "--", "./triad", "100M" }, "", " -- ./triad 100M", " -- ./triad 100M" },
	{ { "./triad", "a b", "", "it's" },
	  "",
	  " -- ./triad 'a b' '' 'it'\\''s'",
	  " -- ./triad 'a b' '' 'it'\\''s'" },
	{ { "-a" }, " -a", "", " -a --timeout 10s" },
	{ { "-aI1000", "-l3", "--summary" }, " -a", "", " -a --timeout 10s" },
	{ { "-aj", "--verdict" }, " -a", "", " -a --timeout 10s" },
	{ { "--all-cpus", "--level=2", "-o", "-a", "--", "make" },
	  " -a",
	  " -- make",
	  " -a -- make" },
	{ { "-C0-3,8", "--cputype", "core" },
	  " -C 0-3,8 --cputype=core",
	  "",
	  " -C 0-3,8 --cputype=core --timeout 10s" },
	{ { "--cputy=core", "-p", "17", "--timeout", "2s" },
	  " --cputype=core -p 17 --timeout=2s",
	  "",
	  " --cputype=core -p 17 --timeout 10s" },
	{ { "-M", "tma_memory_bound", "-t", "1,2" }, " -t 1,2", "", " -t 1,2 --timeout 10s" },
	{ { "-i", "--all-user", "-D", "500", "--metrics-dir", "a dir", "-M", "all", "--", "-x" },
	  " -i --all-user -D 500 --metrics-dir='a dir'",
	  " -- -x",
	  " -i --all-user --metrics-dir='a dir' -- -x" },
	{ { "record", "-o", "file", "-a", "--", "make" }, " -a", " -- make", " -a -- make" },
	{ { "-a", "--for-each-cgroup", "x" }, " -a --for-each-cgroup=x", "", NULL },
};

typedef void put_fn(FILE *fp, const struct td_request *request);

static char *text_of(put_fn *put, const struct td_request *request)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	put(fp, request);
	fclose(fp);
	return text;
}

static void test_row(size_t r)
{
	char *argv[MAX_WORDS + 2] = { (char[]){ "tdstat" } };
	char *owned[MAX_WORDS];
	struct td_opts opts = { 0 };
	struct td_err err = { 0 };
	int argc = 1;

	for (; rows[r].words[argc - 1]; argc++)
		argv[argc] = owned[argc - 1] = strdup(rows[r].words[argc - 1]);
	ok(td_opts_parse(&opts, td_commands(), argc, argv, &err) == 0, "row %zu", r);
	td_autofree char *options = text_of(td_rerun_put_options, &opts.request);
	td_autofree char *command = text_of(td_rerun_put_command, &opts.request);
	td_autofree char *locate = text_of(td_rerun_put_target, &opts.request);
	is_str(options, rows[r].options, "row %zu: options", r);
	is_str(command, rows[r].command, "row %zu: command", r);
	if (rows[r].locate)
		is_str(locate, rows[r].locate, "row %zu: tdstat locate", r);
	td_opts_free(&opts);
	for (int i = 0; i < argc - 1; i++)
		free(owned[i]);
}

/* The word that sh reads is the one that was quoted. */
static void test_word(const char *word)
{
	td_autofree char *text = NULL, *script = NULL;
	char got[64] = "";
	size_t size, nr;
	FILE *fp = open_memstream(&text, &size), *sh;

	td_put_shell_word(fp, word);
	fclose(fp);
	ok(td_is_text(text), "a terminal does not act on it");
	script = td_aprintf("printf '%%s' %s", text);
	sh = popen(script, "r");
	nr = sh ? fread(got, 1, sizeof(got) - 1, sh) : 0;
	ok(sh && !pclose(sh) && nr == strlen(word), "sh reads it");
	is_str(got, word, "%s", text);
}

static void test_words(void)
{
	test_word("a b");
	test_word("it's");
	test_word("a\x1b[1m\n1'");
	test_word("\t100%d\\n\"$x`y`\n\n");
	test_word("-\n\x1b");
	test_word("\xff\xc3\xa4!");
	ok(td_is_plain_shell("./a -b=1 c,d"), "words that need no quotes");
	ok(!td_is_plain_shell("a $b") && !td_is_plain_shell("a 'b'") && !td_is_plain_shell("a;b"),
	   "what a shell would change");
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	test_words();
	return done_testing();
}
