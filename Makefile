# SPDX-License-Identifier: GPL-2.0-only
# make, make run, make check; the other targets: check-bare check-core check-san
# check-machine check-machine-all check-fresh check-fresh-all check-perf check-packages
# check-without, and check-all for all of these; emulator lint format fuzz bench deps
# install static deb dist distcheck clean.
# Variables: CC CFLAGS CPPFLAGS LDFLAGS prefix DESTDIR, KERNEL_SRC=/path/to/linux
# (instead of the package linux-source), METRICS_SRC=/path/to/linux (its metric files,
# instead of those of Debian's newest kernel source), SHARED=1 (link no archives in
# place of shared libraries), SAN=1 (sanitizers, in build/san),
# VALGRIND=1 (check under valgrind, in build/valgrind), WERROR=1, V=1 (whole
# commands), ORACLE=FILE (values to compare with, in place of build/oracle.json),
# WINGS='top serve' (of the wings, cmd/wing.h, only these; WINGS= none),
# ONLY=NAME (check, check-machine: what has NAME in its name alone), PART=0 to 7 (an
# eighth of the suites of check or check-san), STRESS=1 or STRESS=slow (check on a busy
# machine, or with a tenth of one processor for each suite), CPUS=N (check where /sys
# and /proc list N processors, as root), MACHINE (check-machine), JOBS=N (how many suites
# run at a time).

# The last release, or the one that is to come: .ci/describe
VERSION := 0.3.0
# As in .ci/debian/control and the other packages.
HOMEPAGE ?= https://example.org/tdstat

CFLAGS ?= -O2 -g
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
zshdir ?= $(datadir)/zsh/site-functions
unitdir ?= $(prefix)/lib/systemd/system

B := build$(if $(SAN),/san)$(if $(VALGRIND),/valgrind)$(if $(STATIC),/static)
# A variable, because a comma would end an argument of $(if).
SANITIZE := address,undefined
SANITIZER := $(if $(SAN),-fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined)

LIBRARIES := libtraceevent libtracefs json-c libdw libelf zlib ncursesw libzstd
BUILD_PACKAGES := build-essential pkg-config bison flex libelf-dev libdw-dev zlib1g-dev \
	libiberty-dev libtraceevent-dev libtracefs-dev libjson-c-dev libncurses-dev \
	libmicrohttpd-dev libzstd-dev libipt-dev python3 xz-utils
CHECK_PACKAGES := bats bats-support bats-assert jq strace locales mandoc zsh \
	gfortran $(if $(VALGRIND),valgrind)
EMULATOR_PACKAGES := dpkg-dev libglib2.0-dev zlib1g-dev ninja-build python3-venv patch \
	qemu-system-data busybox-static cpio zstd
# Programs that tests use where they can be had, and are skipped without.
TOOL_PACKAGES := tmux chromium fish logrotate zstd debhelper lintian mmdebstrap cmark-gfm \
	python3-yaml libxml2-utils libbenchmark-dev catch2 $(STATIC_PACKAGES)
DEB_PACKAGES := debhelper
STATIC_PACKAGES := libbz2-dev liblzma-dev
# What makes and checks packages of several distributions.
PACKAGE_PACKAGES := autopkgtest devscripts libarchive-tools makepkg nix-bin rpm rpmlint
LINT_PACKAGES := clang clang-format clang-tidy cppcheck shellcheck mandoc codespell

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wwrite-strings -Wcast-qual -Wpointer-arith \
	-Wformat=2 -Wundef -Wvla -Wconversion -Wno-missing-field-initializers \
	$(if $(WERROR),-Werror)
GCC_WARNINGS := -fanalyzer -Wlogical-op -Wduplicated-cond \
	-Wduplicated-branches -Wnull-dereference -Wjump-misses-init

# Empty before "make deps"; the targets that call it start make anew.
PKG_CFLAGS := $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null)

# Those in a folder and two levels below it: lib/machine/intel/*.c
below = $(wildcard $(foreach d,$1,$(addprefix $d/,$2 */$2 */*/$2)))
CMD := $(call below,cmd,*.c)
# Features that can be left out (cmd/wing.h).
ALL_WINGS := $(patsubst cmd/%/words,%,$(wildcard cmd/*/words))
WINGS ?= $(ALL_WINGS)
NO_WINGS := $(filter-out $(WINGS),$(ALL_WINGS))
ifneq ($(filter-out $(ALL_WINGS),$(WINGS)),)
$(error no such wing: $(filter-out $(ALL_WINGS),$(WINGS)); there are $(ALL_WINGS))
endif
LIB := $(filter-out lib/region/%,$(call below,lib metrics,*.c))
REGION := $(wildcard lib/region/*.c)
# Without tests and pages of wings that are not in the build: a program that includes one,
# a suite with a line "# wing: NAME", a page with such a comment.
built = $(filter-out $(if $(NO_WINGS),$(shell grep -lE '^(#include "cmd/|[^ ]+ wing: )($(subst $(eval ) ,|,$(NO_WINGS)))(/|$$)' $1)),$1)
TESTS := $(call built,$(wildcard tests/unit/*.c tests/fuzz/*.c tests/bench/*.c))
GUESTS := $(wildcard tests/machine/*.c)
BESIDE_VALGRIND := tests/valgrind/syscall.c
# Tests compile what they preload; here it is only checked.
PRELOADED := tests/cli/memory.c tests/cli/inject.c
SOURCES := $(CMD) $(LIB) $(REGION) $(TESTS) $(GUESTS) $(BESIDE_VALGRIND) $(PRELOADED)
EMULATED := $(addprefix tests/emulator/,act.c loops.c slow.c) $(wildcard tests/emulator/qemu/*.[ch])
HEADERS := $(call below,cmd lib metrics,*.h) $(wildcard tests/*/*.h)

OBJECTS := $(SOURCES:%.c=$(B)/obj/%.o)
CMD_OBJECTS := $(patsubst %.c,$(B)/obj/%.o,$(filter-out cmd/main.c $(NO_WINGS:%=cmd/%/%),$(CMD))) \
	$(B)/wings.o $(B)/version.o
UNIT := $(patsubst %.c,$(B)/%,$(filter tests/unit/%,$(TESTS)))
FUZZ := $(patsubst %.c,$(B)/%,$(filter tests/fuzz/%,$(TESTS)))
BENCHES := $(patsubst %.c,$(B)/%,$(filter tests/bench/%,$(TESTS)))
PAGES := $(call built,$(wildcard man/*.[1357]))
PROGRAM := $(patsubst cmd/main.c,$(B)/tdstat,$(filter cmd/main.c,$(CMD)))

# The kernel tree's own perf_event.h: Debian 12's knows no config3.
UAPI := build/uapi/linux/perf_event.h

COMPILE = -std=gnu11 -D_GNU_SOURCE -DTDSTAT_DATADIR='"$(datadir)/tdstat"' -I. -isystem build/uapi $(SYSTEM_INCLUDES) \
	$(PKG_CFLAGS:-I%=-isystem%) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(SANITIZER)
LINK = $(CC) $(CFLAGS) $(SANITIZER) $(LDFLAGS) $(WRAP) -o $@ $(filter %.o,$^) \
	$(filter %.a,$^) -Wl,-z,now -Wl,--as-needed @$(B)/libs

say = $(if $(V),,@echo '  $1	$@';)

# The metric files first: they are fetched while the program is compiled.
all: $(B)/pmu-events $(PROGRAM) $(B)/libtdstat.a $(B)/libtdstat.so.0
objects: $(OBJECTS)
fuzz-programs: $(FUZZ)

# --- the program --------------------------------------------------------------

$(B)/tdstat: $(B)/obj/cmd/main.o
$(BESIDE_VALGRIND:%.c=$(B)/obj/%.o): override CPPFLAGS += \
	-DTD_PIDFD_HELPER='"$(CURDIR)/tests/valgrind/pidfd"'
ifdef VALGRIND
WRAP := -Wl,--wrap=syscall
$(PROGRAM) $(UNIT) $(FUZZ): $(BESIDE_VALGRIND:%.c=$(B)/obj/%.o)
endif
# The program marks a region of its own in tdstat doctor --evidence.
$(PROGRAM) $(UNIT) $(FUZZ): $(CMD_OBJECTS) $(B)/libtd.a $(B)/libtdstat.a build/libperf/libperf.a build/libperf/libapi.a | $(B)/libs
	@mkdir -p $(@D)
	$(call say,LINK)$(LINK)

# One file that runs on any x86-64 Linux. The libraries that tdstat otherwise loads are in
# it, except libipt and libmicrohttpd, which have no archive that can be linked.
STATIC_LIBRARIES := libtracefs libdw ncursesw libzstd zlib json-c
static: static-deps
	@$(MAKE) --no-print-directory static-here
static-here:
	@$(MAKE) --no-print-directory STATIC=1 WINGS='$(filter-out serve,$(WINGS))' build/static/tdstat
ifdef STATIC
override CFLAGS += -fPIE
override LDFLAGS += -static-pie -Wl,--strip-debug -Wl,--wrap=dlopen
$(B)/obj/%.o: override CPPFLAGS += -DTD_STATIC
$(B)/obj/cmd/calls/decode.o: override CPPFLAGS += -UTD_STATIC
endif

# Writes its input to $@ if that changes it.  Two makes may do so at once.
if_changed = { cat >$@.$$$$ && if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi; }

# The wings of this build, and the words of those that are left out of it.
$(B)/wings.c: FORCE | build/.gitignore
	@mkdir -p $(@D)
	@{ echo '#include "cmd/wing.h"'; \
	for wing in $(sort $(WINGS)); do echo "extern const struct td_wing td_wing_$$wing;"; done; \
	echo 'const struct td_wing *const td_wings[] = {'; \
	for wing in $(sort $(WINGS)); do echo "	&td_wing_$$wing,"; done; \
	echo '	0,'; echo '};'; \
	echo 'const struct td_wing_left_out td_wings_left_out[] = {'; \
	for wing in $(NO_WINGS); do echo "	{ \"$$wing\", \"$$(cat cmd/$$wing/words)\" },"; done; \
	echo '	{ 0 },'; echo '};'; } | $(if_changed)
# A commit changes this object alone.
$(B)/version.c: FORCE | build/.gitignore
	@mkdir -p $(@D)
	@printf '#include "cmd/version.h"\nconst char td_version[] = "%s";\n' \
		"$$(.ci/describe $(VERSION))" | $(if_changed)
$(B)/wings.o $(B)/version.o: $(B)/%.o: $(B)/%.c
	$(call say,CC)$(CC) $(COMPILE) -c -o $@ $<
$(B)/wings.o: cmd/wing.h
$(B)/version.o: cmd/version.h
FORCE:

# What stands in for parts of the library comes before them.
$(addprefix $(B)/tests/unit/region_,calls files pmc spec): private LDFLAGS += -Wl,-z,muldefs
$(B)/tests/unit/region_program: $(addprefix $(B)/tests/machine/,regions children sandbox)
$(UNIT) $(FUZZ) $(BENCHES): $(B)/%: $(B)/obj/%.o

# Most are small programs, whose own time counts, and need nothing of cmd.
$(B)/tests/bench/interval: $(CMD_OBJECTS) $(B)/libtdstat.a
$(BENCHES): $(B)/libtd.a build/libperf/libperf.a build/libperf/libapi.a | $(B)/libs
	@mkdir -p $(@D)
	$(call say,LINK)$(LINK)

# json-c is linked in if a program can be linked with its archive: to load a shared
# library takes more system calls than to count a short command.  The others of
# $(LIBRARIES) are loaded when they are needed (lib/base/library.h).
TRIAL := int json_tokener_parse(), cplus_demangle_v3(); \
	int main(void) { return json_tokener_parse() + cplus_demangle_v3(); }
$(B)/libs: Makefile | build/.gitignore
	@mkdir -p $(@D)
ifdef STATIC
	@echo '$(shell pkg-config --static --libs $(STATIC_LIBRARIES)) -liberty -lm' >$@
else
	@for json in $(if $(SHARED),,-l:libjson-c.a) '$(shell pkg-config --libs json-c)'; do \
		echo "$$json -liberty -lm" >$@; \
		! echo '$(TRIAL)' | $(CC) $(CFLAGS) $(LDFLAGS) -w -x c - -o $@.trial @$@ 2>$@.log || \
			exec rm $@.trial $@.log; \
	done; cat $@.log; exit 1
endif

# A page lets the script run that has this hash.
build/page.js.hash: cmd/pictures/page.js | build/.gitignore
	@env printf "$$(sha256sum $< | cut -c 1-64 | sed 's/../\\x&/g')" | base64 | tr -d '\n' >$@
$(B)/obj/cmd/pictures/page.o: cmd/pictures/page.css cmd/pictures/page.js build/page.js.hash

# q: several folders have files of one name, which r would take for one.
$(B)/libtd.a: $(LIB:%.c=$(B)/obj/%.o)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)$(AR) qcs $@ $^

# What other programs link: of the C library only, and nothing else is visible.
REGION_OBJECTS := $(REGION:%.c=$(B)/obj/%.o)
$(REGION_OBJECTS): override CFLAGS += -fPIC -fvisibility=hidden
$(B)/libtdstat.a: $(REGION_OBJECTS)
	@rm -f $@
	$(call say,AR)$(AR) qcs $@ $^
$(B)/libtdstat.so.0: $(REGION_OBJECTS) lib/region/tdstat.map
	$(call say,LINK)$(CC) $(CFLAGS) $(SANITIZER) $(LDFLAGS) -shared -Wl,--version-script=lib/region/tdstat.map \
		-Wl,-soname,$(@F) -Wl,-z,now -Wl,-z,nodelete -o $@ $(REGION_OBJECTS) -pthread

# Programs that run on the emulated machine, as users link theirs.
GUEST_PROGRAMS := $(GUESTS:%.c=$(B)/%)
$(B)/tests/machine/followed: private LDLIBS := -lipt
$(GUEST_PROGRAMS): $(B)/%: $(B)/obj/%.o $(B)/libtdstat.a
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(CFLAGS) $(SANITIZER) $(LDFLAGS) -o $@ $^ $(LDLIBS) -pthread

# Benchmarks, of the libraries that are here, with the examples of libtdstat.
GUEST_BENCHMARKS := $(if $(wildcard /usr/include/benchmark/benchmark.h),$(B)/tests/machine/benchmark) \
	$(if $(wildcard /usr/include/catch2/catch.hpp),$(B)/tests/machine/catch)
$(B)/tests/machine/benchmark: private LDLIBS := -lbenchmark
$(GUEST_BENCHMARKS): $(B)/%: %.cpp $(wildcard lib/region/*.h lib/region/examples/*.hpp) \
		tests/machine/scenario.h $(B)/libtdstat.a
	@mkdir -p $(@D)
	$(call say,CXX)$(CXX) -Wall -Wextra -O2 -g -I. -Ilib/region -Ilib/region/examples $(SANITIZER) $(LDFLAGS) -o $@ \
		$< $(B)/libtdstat.a $(LDLIBS) -pthread

$(OBJECTS): $(B)/obj/%.o: %.c Makefile | build/.gitignore $(UAPI)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMPILE) -MMD -MP -c -o $@ $<

-include $(OBJECTS:.o=.d)

# Made first, so it is also where missing libraries are told in one sentence.
build/.gitignore:
	@pkg-config --exists $(LIBRARIES) || \
		{ echo "needs $(LIBRARIES): try 'make deps'" >&2; exit 1; }
	@mkdir -p build
	@echo '*' >$@

# --- libperf, and the metric and event files of the kernel tree ---------------

KERNEL_PARTS := Makefile $(addprefix tools/,lib include arch build scripts perf/pmu-events/arch/x86)
PERF_TESTS := $(addprefix tools/perf/tests/shell/,stat*.sh test_intel_pt.sh lib) tools/perf/util/jitdump.h
LIBPERF_INCLUDES := $(addprefix -isystem build/linux/tools/,lib/perf/include lib \
	include include/uapi arch/x86/include)
PERF_FILES := $(basename $(wildcard lib/counter/*.c lib/sample/sampler*.c))
PERF_OBJECT := $(PERF_FILES:%=$(B)/obj/%.o) $(PERF_FILES:%=$(B)/tidy/%)

$(PERF_OBJECT): SYSTEM_INCLUDES = $(LIBPERF_INCLUDES)
$(PERF_OBJECT): | build/linux/.unpacked

build/linux/.unpacked: PARTS = $(KERNEL_PARTS)
# perf's own tests of "perf stat", and of Processor Trace.
build/perf-tests/.unpacked: PARTS = $(PERF_TESTS)
build/perf-tests/.unpacked: Makefile

build/linux/.unpacked build/perf-tests/.unpacked: | build/.gitignore
	@rm -rf $(@D)
	@mkdir -p $(@D)
ifdef KERNEL_SRC
	cd '$(KERNEL_SRC)' && cp -r --parents $(PARTS) '$(CURDIR)/$(@D)'
else
	@tar=$$(ls /usr/src/linux-source-*.tar.* 2>/dev/null | sort -V | tail -n 1); \
	[ -n "$$tar" ] || { echo "needs a kernel source: try 'make deps'," \
		"or give KERNEL_SRC=/path/to/linux" >&2; exit 1; }; \
	echo "unpacking parts of tools/ of $$tar"; \
	XZ_OPT=-T0 tar -C $(@D) -xf "$$tar" --strip-components=1 --wildcards \
		--no-wildcards-match-slash $(PARTS:%='*/%')
endif
	@touch $@

$(UAPI): build/linux/.unpacked
	@mkdir -p $(@D)
	@ln -sfnr build/linux/tools/include/uapi/linux/perf_event.h $@

# With an empty environment: our flags are not theirs.  Their Makefiles cannot build below
# a folder whose name has a space, so there they build a copy below /tmp.
build/libperf/libperf.a: build/linux/.unpacked
	@mkdir -p $(@D)
	$(call say,LIBPERF)tools='$(CURDIR)/build/linux/tools'; out='$(CURDIR)/$(@D)'; case $$tools in *\ *) \
		copy=$$(mktemp -d /tmp/tdstat-libperf-XXXXXX) && trap 'rm -rf "$$copy"' EXIT && \
		tools=$$copy/tools out=$$copy/out && mkdir $$tools $$out && \
		cp -R $(addprefix build/linux/tools/,arch build include lib scripts) $$tools;; esac; \
	env -i PATH="$$PATH" make -C $$tools/lib/perf O=$$out/ \
		EXTRA_CFLAGS='-O2 -Wno-error $(filter -ffile-prefix-map=%,$(CFLAGS))' WERROR=0 >$(@D)/log 2>&1 || { cat $(@D)/log; exit 1; }; \
	[ -z "$$copy" ] || cp $$out/*.a $(@D)
	@touch $@
build/libperf/libapi.a: build/libperf/libperf.a ;

# The newest files know the newest processors.
METRICS_SRC ?= $(KERNEL_SRC)

# Fetched while the parts of the kernel are unpacked; empty if that fails.
build/fetched: | build/.gitignore $(if $(METRICS_SRC),build/linux/.unpacked)
	$(call say,FETCH)metrics/files/fetch $@ $(METRICS_SRC) || mkdir -p $@

build/metrics: | $(if $(wildcard build/metrics),,build/fetched) build/linux/.unpacked
	$(call say,METRICS)[ ! -e build/fetched/mapfile.csv ] || exec mv build/fetched $@; \
	rmdir build/fetched; \
	echo "the newest kernel source cannot be fetched:" \
		"the metric files will be those of the one that is here" >&2; \
	metrics/files/fetch $@ build/linux

# What is read of them, and what finds them, without which there is nothing.
$(B)/pmu-events: metrics/files/minify | build/metrics
	@rm -rf $@ $@.new && mkdir -p $@.new
	$(call say,MINIFY)$< build/metrics $@.new
	@mv $@.new $@

# --- what to install, how to run ----------------------------------------------

# Somebody else may be installing something, and a mirror may be slow.
APT := apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3

deps: PACKAGES = $(BUILD_PACKAGES) $(CHECK_PACKAGES)
build-deps: PACKAGES = $(BUILD_PACKAGES)
lint-deps: PACKAGES = $(BUILD_PACKAGES) $(LINT_PACKAGES)
static-deps: PACKAGES = $(BUILD_PACKAGES) $(STATIC_PACKAGES)
deb-deps: PACKAGES = $(BUILD_PACKAGES) $(DEB_PACKAGES)
emulator-deps: PACKAGES = $(BUILD_PACKAGES) $(EMULATOR_PACKAGES)
tools: PACKAGES = $(TOOL_PACKAGES)
tools: | deps
UNPACKED := build/linux/.unpacked
check-machine check-machine-all check-perf: UNPACKED += build/perf-tests/.unpacked
deps build-deps lint-deps deb-deps static-deps emulator-deps tools:
	@command -v apt-get >/dev/null || exit 0; \
	source= sudo=; \
	have=$$(dpkg-query -W -f '$${db:Status-Status} $${Package}\n' $(PACKAGES) 2>/dev/null | \
		sed -n 's/^installed //p'); \
	need=$$(printf '%s\n' $(PACKAGES) | grep -vxF "$$have"); \
	[ -n "$(KERNEL_SRC)" ] || ls $(UNPACKED) >/dev/null 2>&1 || \
		ls /usr/src/linux-source-*.tar.* >/dev/null 2>&1 || source=linux-source-6.12; \
	[ -n "$$need$$source" ] || exit 0; \
	if [ $$(id -u) != 0 ]; then \
		sudo=sudo; \
		sudo -n true 2>/dev/null || { command -v sudo >/dev/null && [ -t 2 ]; } || { \
			[ $@ != tools ] || { echo "not installed, tests that use them are skipped:" $$need; exit 0; }; \
			echo "needs these packages, and root to install them:" $$need $$source >&2; \
			exit 1; }; \
	fi; \
	run() { echo "$$@"; $$sudo env DEBIAN_FRONTEND=noninteractive "$$@" </dev/null; }; \
	run $(APT) update; \
	[ -z "$$source" ] || apt-cache show $$source >/dev/null 2>&1 || source=linux-source; \
	install() { run $(APT) install -y --no-install-recommends "$$@"; }; \
	[ $@ = tools ] || { install $$need $$source; exit; }; \
	for package in $$need; do \
		install $$package || echo "$$package: cannot be installed, tests skip it"; \
	done

# One job more than processors, because one waits for the network.
run: build-deps
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(($$(nproc) + 1))) run-here

TOPDOWN_EVENTS := slots topdown-retiring topdown-fe-bound topdown-total-slots

TOPDOWN_HERE := $(wildcard $(TOPDOWN_EVENTS:%=/sys/bus/event_source/devices/cpu*/events/%))

run-here: all
ifneq ($(TOPDOWN_HERE),)
	$(B)/tdstat -a -I1000 --interval-count 5
else
	@echo "This machine has no top-down events; what follows is a recording" \
		"made on an emulated Alder Lake."
	$(B)/tdstat report -i tests/data/alderlake.jsonl
endif
	@printf '%s\n' '' 'What to type next:' \
		'  $(B)/tdstat -- COMMAND        # where do the slots of a command go?' \
		'  $(B)/tdstat doctor            # what can this machine measure, and what has to be fixed?' \
		'  man man/tdstat-tutorial.7      # make a slow program fast, step by step' \
		'  sudo make install              # install to $(prefix); make deb makes packages'

# --- tests --------------------------------------------------------------------

export TDSTAT := $(CURDIR)/$(if $(VALGRIND),tests/valgrind,$(B))/tdstat
ifdef VALGRIND
export TD_VALGRIND := $(CURDIR)/$(B)
UNDER := tests/valgrind/run $(nothing)
endif
# The files as the kernel has them.
export TD_PMU_EVENTS := $(CURDIR)/build/metrics
export TD_INSTALLED := $(CURDIR)/$(B)/pmu-events
# Those of the kernel source that libperf is from: Linux 6.12's.
export TD_PMU_EVENTS_OLD := $(CURDIR)/build/linux/tools/perf/pmu-events/arch/x86
ORACLE ?= build/oracle.json
export TD_ORACLE := $(abspath $(ORACLE))

# Values of the metric files' formulas that are not tdstat's.
build/oracle.json: tests/unit/make-oracle $(wildcard tests/emulator/truth_*.py) | build/metrics
	$(call say,ORACLE)command -v python3 >/dev/null || exit 0; $< $@

# So many processors are kept busy, four at most; a machine that is booted may take two
# gigabytes of memory.
JOBS ?= $(if $(VALGRIND),1,$(shell awk -v n="$$(nproc)" \
	'/^MemAvailable/ { fit = int($$2 / 2e6) - 1 } \
	END { if (fit < n) n = fit; print (n < 1 ? 1 : n > 4 ? 4 : n) }' /proc/meminfo))

# Suites wait for a quarter to a half of their time, booted machines as well: one more of
# them at a time.  Those with a tenth of a processor each: eight per processor.
SUITES = $(if $(VALGRIND)$(filter-out file,$(origin JOBS)),$(JOBS),$(shell \
	echo $$(($(if $(filter slow,$(STRESS)),$(JOBS) * 8,$(JOBS) + 1)))))

# The system's own python3, which begins in a tenth of the time that pyenv's script takes,
# and has the modules of the packages.
ifneq ($(wildcard /usr/bin/python3),)
export PATH := $(CURDIR)/build/path:$(PATH)
endif
build/path/python3: | build/.gitignore
	@mkdir -p $(@D)
	@ln -sfn /usr/bin/python3 $@

# Of these files those of these names first, which take longest: none of them is to run
# alone at the end.
suites = $(addprefix %/,$(addsuffix .bats,$1))
longest_first = $(foreach n,$1,$(filter %/$n.bats,$2)) $(filter-out $(suites),$2)

# What takes a build of its own: make check-packages, and some of it make check-fresh.
PACKAGE_SUITES := $(addprefix tests/cli/,$(addsuffix .bats,deb distributions static))
ALL_CLI := $(sort $(call built,$(wildcard tests/cli/*.bats)))
export TD_WINGS := $(WINGS)
CLI := $(call longest_first,soak inject locate serve memory names rotate tutorial regions, \
	$(filter-out $(PACKAGE_SUITES),$(ALL_CLI)))

# Those whose machines are saved ones run on machines with the PMUs that real ones
# have beside their cores, and on machines without before a release.
FULL := $(if $(CLI),$(shell grep -lE '^\s*(saved|copied|use) ' $(CLI)))

# What is tested of all models is so of the older files, too.
OF_FILES := $(addprefix $(B)/tests/unit/,encodings expr formulas pmu_events_models)

# make check ONLY=NAME: the programs and suites that have NAME in their names.
only = $(if $(ONLY),$(foreach f,$1,$(if $(findstring $(ONLY),$(notdir $f)),$f)),$1)
UNIT_RUN := $(if $(PART),,$(call only,$(UNIT)))
FUZZ_RUN := $(if $(PART),,$(call only,$(FUZZ)))

# PART=0 to 7: an eighth of the suites, without unit programs and fuzz targets
PART ?=
IN_PART := $(if $(PART),$(shell printf '%s\n' $(CLI) | awk 'NR % 8 == $(PART)'),$(CLI))

STRESS ?=
BUSY := $(if $(filter 1,$(STRESS)),tests/stress 1)
# Each suite runs within these.
CPUS ?=
AROUND := $(if $(filter slow,$(STRESS)),tests/stress slow )$(if $(CPUS),tests/many-cpus $(CPUS) )

check: deps tools
	@$(MAKE) --no-print-directory check-here

# Prometheus and what belongs to it: tests are skipped without.
TOOLS := build/tools/usr/bin/prometheus
$(TOOLS): | build/.gitignore
	$(call say,TOOLS)tests/tools/fetch build/tools || echo "no Prometheus to test with"

check-here: build/path/python3 all $(BENCHES) $(GUEST_PROGRAMS) $(UNIT_RUN) $(FUZZ_RUN) $(ORACLE) $(TOOLS)
	$(if $(VALGRIND),@rm -rf $(B)/logs && mkdir $(B)/logs)
	@$(BUSY) tests/tally -j $(SUITES) \
		$(foreach f,$(call only,$(IN_PART)),'$(AROUND)env $(if $(filter $f,$(FULL)),TD_FULL=1) bats --tap $f # $f') \
		$(UNIT_RUN:%='$(AROUND)$(UNDER)%') \
		$(patsubst %,'$(AROUND)env TD_PMU_EVENTS="$$TD_PMU_EVENTS_OLD" $(UNDER)%',$(if $(PART),,$(call only,$(OF_FILES)))) \
		$(foreach f,$(FUZZ_RUN),'$(AROUND)$(UNDER)$f tests/fuzz/corpus/$(notdir $f)/*') \
		$(if $(VALGRIND),'tests/valgrind/verdict $(B)/logs')

# The unit tests of tdstat without wings.
check-core: deps
	@$(MAKE) --no-print-directory WINGS= check-core-here

check-core-here: all $(UNIT_RUN) $(ORACLE)
	@tests/tally -j $(SUITES) $(UNIT_RUN:%='%')

# What is left when a wing is removed.
check-without: deps tools
	@tests/tally $(WINGS:%='tests/without %')

check-bare: deps tools
	@$(MAKE) --no-print-directory check-bare-here

check-bare-here: build/path/python3 all $(GUEST_PROGRAMS) $(ORACLE) $(TOOLS)
	@tests/tally -j $(SUITES) $(patsubst %,'bats --tap %',$(call only,$(FULL)))

# The tests of the program under the sanitizers, on full machines.
check-san: deps tools
	@$(MAKE) --no-print-directory SAN=1 check-san-here

check-san-here: build/path/python3 all $(GUEST_PROGRAMS) $(ORACLE) $(TOOLS)
	@tests/tally -j $(SUITES) $(foreach f,$(IN_PART),'TD_FULL=1 SANITIZED=1 bats --tap $f # $f under the sanitizers')

# What boots a machine to test on: tests/emulator/README.md.
EMULATOR := tests/emulator/run
MACHINE ?= $(EMULATOR)
emulated := $(filter $(EMULATOR),$(MACHINE))
# A perf as new as the machine's kernel, which may stand beside it, and the newest;
# they fetch themselves, which they cannot do in there.
MACHINE_PERF := $(wildcard $(dir $(MACHINE))perf)
MACHINE_TESTS := $(call longest_first,evidence calls tutorial profile metrics pt energy held fork ibs \
	aggregate locate auto regions user doctor trouble newest comes calls_pt hybrid serve latency pt_lossy, \
	$(sort $(call built,$(wildcard tests/machine/*$(ONLY)*.bats))))

ifeq ($(MACHINE),none)
check-machine check-machine-all:
	@echo "no machine to boot, skipped (MACHINE= runs the tests right here)"
	@echo "0 passed, 0 failed, 1 skipped"
else
check-machine check-machine-all: CHECK_PACKAGES += $(if $(emulated),$(EMULATOR_PACKAGES))
# Every model and every scenario, before a release.
check-machine-all: export TD_EVERYTHING := 1
check-machine check-machine-all: deps tools
	$(if $(emulated),@tests/emulator/build)
	@$(MAKE) --no-print-directory check-booted
endif

# Runs the scenarios of a truth file, in the machine.
ACT := build/emulator/act
$(ACT): tests/emulator/act.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu11 $(WARNINGS) -O2 -g -fno-omit-frame-pointer -static -pthread -o $@ $<

# Gives the loops of tdstat doctor the scenarios that they would be on silicon.
LOOPS := build/emulator/loops.so
$(LOOPS): tests/emulator/loops.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu11 $(WARNINGS) -O2 -g -shared -fPIC -o $@ $<

# Levels 1 and 2 in each scenario, by other formulas than tdstat's.
TRUTHS := build/alderlake.json build/sapphirerapids.json
$(TRUTHS): build/%.json: tests/machine/own.py tests/emulator/scenarios/%.truth \
		$(wildcard tests/emulator/truth_*.py) | build/metrics
	$(call say,TRUTH)PYTHONDONTWRITEBYTECODE=1 $< truth $* $@

emulator: emulator-deps
	@tests/emulator/build
	@$(MAKE) --no-print-directory $(ACT) $(LOOPS)

# The rates of the machines are those that the formulas of Linux 6.12's files take.
# Each line "# machine: MODEL [option]..." in a file is a boot that it runs in, and
# "# release: MODEL [option]..." one that check-machine-all adds.
check-booted: build/path/python3 all $(GUEST_PROGRAMS) $(GUEST_BENCHMARKS) $(TOOLS) build/perf-tests/.unpacked $(if $(emulated),$(ACT) $(LOOPS) $(TRUTHS))
	@$(or $(MACHINE_PERF),true) --version >/dev/null
	@TD_PERF_SERIES=newest $(or $(MACHINE_PERF),true) --version >/dev/null
ifeq ($(MACHINE),)
	@tests/tally $(MACHINE_TESTS:%='TD_MACHINE=here TD_MACHINE_ARGS= bats --tap %')
else
	@for file in $(MACHINE_TESTS); do \
		grep -qE '^# (machine|release): ' $$file || echo "false # $$file, which says no '# machine:'"; \
		sed -nE 's/^# $(if $(TD_EVERYTHING),(machine|release),machine): *//p' $$file | while read -r words; do \
			echo "tests/boot $(MACHINE) $$words --limit 1500 --" \
				"env TDSTAT=$$TDSTAT TDSTAT_METRICS=$(TD_PMU_EVENTS_OLD) TD_EVERYTHING=$$TD_EVERYTHING TD_MACHINE=$${words%% *} TD_MACHINE_ARGS='$$words' bats --tap $$file" \
				"# $$file on $$words"; \
		done; \
	done | xargs -d '\n' tests/tally -j $(SUITES)
endif

# perf's own tests of "perf stat" with tdstat in perf's place, here.
check-perf: deps
	@$(MAKE) --no-print-directory check-perf-here

check-perf-here: all build/perf-tests/.unpacked
	@tests/tally 'tests/perf/run build/perf-tests/tools/perf/tests/shell'

# All packages, Debian's twice, which have to be the same, before a release.
check-packages: TOOL_PACKAGES += $(PACKAGE_PACKAGES)
check-packages: deps tools
	@$(MAKE) --no-print-directory check-packages-here

check-packages-here: all
	@TD_EVERYTHING=1 tests/tally $(patsubst %,'bats --tap %',$(PACKAGE_SUITES) tests/cli/packages.bats)

# A fresh Debian 13 builds the tree, and runs all unit tests, and those of the program
# that touch what differs from one Linux to the next: libraries, shells, names; all this
# as an ordinary user, in a folder whose name has a space, and so on: tests/fresh.
NEAR := FULL= CLI="$(addprefix tests/cli/,$(addsuffix .bats,calls completion events formats \
	inject libraries locate names perf_output profile report serve truncated))"
# Beside it, what is mostly a matter of one processor and of the mirror: the packages of
# this Debian are built, and installed in a fresh one; and the static program.
FRESH := 'tests/fresh trixie user $(NEAR)' $(patsubst %,'bats --tap %',$(filter-out %/distributions.bats,$(PACKAGE_SUITES)))
# Before a release all of them do there, those of the packages, too, and on sid with
# its kernel and compilers; and some where there are no archives of libraries.
check-fresh-all: CHECK_PACKAGES += $(DEB_PACKAGES)
check-fresh-all: EVERY := CLI="$(ALL_CLI)"
check-fresh-all: FRESH = 'tests/fresh trixie $(EVERY)' 'tests/fresh trixie user $(EVERY)' 'tests/fresh trixie CC=clang $(NEAR)' \
	'tests/fresh trixie no-archives $(NEAR)' 'tests/fresh sid KERNEL= $(EVERY)' \
	'tests/fresh sid KERNEL= CC=clang $(NEAR)'
check-fresh-all: SIDE_BY_SIDE := 1

check-fresh check-fresh-all: deps tools
	@$(MAKE) --no-print-directory all dist build/linux/.unpacked build/metrics
	@TARBALL='$(TARBALL)' PACKAGES='$(strip $(BUILD_PACKAGES) $(CHECK_PACKAGES))' tests/tally -j $(or $(SIDE_BY_SIDE),2) $(FRESH)

# Before a release; takes hours.
check-all: export TD_EVERYTHING := 1
check-all:
	@status=0; for target in lint check "check STRESS=1" "check STRESS=slow" "check CPUS=64" check-bare check-san \
		check-without check-fresh-all check-packages check-perf check-machine-all; do \
		$(MAKE) --no-print-directory $$target || status=1; done; exit $$status

fuzz:
	@$(MAKE) --no-print-directory B=build/fuzz CC=clang SAN=1 \
		SANITIZE=fuzzer,address,undefined CPPFLAGS=-DTD_FUZZ fuzz-programs
	@echo "run build/fuzz/tests/fuzz/NAME NEW_CORPUS tests/fuzz/corpus/NAME"

# Beside perf, here and on the machine that is booted; the figures as JSON lines.
BENCH := $(CURDIR)/build/bench
export BENCH_JSON ?= $(BENCH).json

bench: all $(BENCHES) $(GUEST_PROGRAMS)
	@rm -rf $(BENCH) $(BENCH_JSON) && mkdir -p $(BENCH)
	@bash -c '. tests/bench/lib.sh && title'
	@tests/bench/here
	@tests/bench/wide
	@tests/bench/many
ifneq ($(TOPDOWN_HERE),)
	@tests/bench/run
else ifeq ($(filter-out none,$(MACHINE)),)
	@echo "no top-down events here, and no machine to boot (MACHINE=): they are not compared"
else
	$(if $(emulated),@tests/emulator/build)
	@$(or $(MACHINE_PERF),true) --version >/dev/null
	@MACHINE_OUT=$(BENCH) tests/boot $(MACHINE) spr --smp 32,sockets=2,cores=8,threads=2 --limit 600 -- \
		env TDSTAT=$(TDSTAT) PERF=$(or $(MACHINE_PERF),perf) \
		sh -c 'BENCH_JSON=$$MACHINE_OUT/topdown.json exec tests/bench/run'
	@cat $(BENCH)/topdown.json >>$(BENCH_JSON)
endif
	@bash -c '. tests/bench/lib.sh && footer'
	@tests/bench/files

# --- the source ---------------------------------------------------------------

CLANG_FORMAT := clang-format --style=file:.ci/clang-format
SCRIPTS := $(filter-out %/control,$(wildcard .ci/debian/tests/*)) .ci/arch/PKGBUILD .ci/run .ci/apt.sh .ci/describe .ci/tarball .ci/debian/tdstat.config .ci/debian/tdstat.postinst metrics/files/fetch \
	.ci/layers .ci/sizes .ci/english tests/tally tests/boot tests/fresh tests/without \
	tests/save-machine tests/add-pmus tests/data/remake tests/valgrind/run tests/valgrind/tdstat \
	tests/tools/fetch tests/stress tests/many-cpus cmd/completion/tdstat.bash $(wildcard $(addprefix \
	tests/bench/,here wide many run files) tests/perf/run tests/perf/bin/perf $(addprefix \
	tests/emulator/,build kernel perf run init) tests/*/*.sh tests/*/*.ba[ts]*)
LINTS := layers circles sizes english gcc clang cppcheck format shellcheck mandoc codespell
tool = @command -v $1 >/dev/null || { echo "lint: no $1 here, skipped"; exit 0; };

lint: build/linux/.unpacked $(UAPI)
	@$(MAKE) -skO $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc)) $(LINTS:%=lint-%)

lint-layers:
	@.ci/layers
lint-sizes:
	@.ci/sizes
lint-english:
	@.ci/english
lint-circles: $(patsubst %.c,$(B)/obj/%.o,$(CMD) $(LIB) $(REGION))
	$(call tool,python3) .ci/circles $(B)/obj
# gcc 12 loses sight of what a heap object points to, and calls it leaked.
NOT_LEAKED := $(filter lib/counter/% lib/count/timeline.c lib/machine/machine.c lib/sample/sampler_open.c metrics/eval/cells.c metrics/files/parse.c tests/unit/level.c tests/unit/many_events.c,$(SOURCES))
$(NOT_LEAKED:%.c=build/lint-gcc/obj/%.o): override CFLAGS += -Wno-analyzer-malloc-leak
lint-gcc:
	@$(MAKE) B=build/lint-gcc CC=gcc WERROR=1 CFLAGS='-O2 $(GCC_WARNINGS)' objects
lint-clang:
	$(call tool,clang) $(MAKE) B=build/lint-clang CC=clang WERROR=1 CFLAGS=-O2 objects tidy
# ctuuninitvar: it takes what a function is to fill in for something it reads;
# ctunullpointer: and a number that is 0 for a pointer of the next call.
lint-cppcheck:
	@mkdir -p build/cppcheck
	$(call tool,cppcheck) cppcheck --quiet --cppcheck-build-dir=build/cppcheck -I. --std=c11 \
		--enable=warning,performance,portability --inline-suppr --suppress=ctuuninitvar --suppress=ctunullpointer \
		--error-exitcode=1 $(SOURCES)
lint-format:
	$(call tool,clang-format) $(CLANG_FORMAT) --dry-run -Werror $(SOURCES) $(HEADERS) $(EMULATED)
lint-shellcheck:
	$(call tool,shellcheck) shellcheck $(SCRIPTS)
lint-mandoc:
	$(call tool,mandoc) ! mandoc -T lint $(PAGES) 2>/dev/null | grep -v 'referenced manual not found'
lint-codespell:
	$(call tool,codespell) codespell -L nd cmd lib metrics man Makefile $(wildcard README.md)

tidy: $(patsubst %.c,$(B)/tidy/%,$(CMD) $(LIB))
$(B)/tidy/%: $(B)/obj/%.o .ci/clang-tidy
	@mkdir -p $(@D)
	$(call tool,clang-tidy) said=$$(clang-tidy --quiet --config-file=.ci/clang-tidy $*.c -- \
		$(COMPILE) 2>&1) || { echo "$$said"; exit 1; }
	@touch $@

format:
	$(CLANG_FORMAT) -i $(SOURCES) $(HEADERS) $(EMULATED)

# They are in flags and in a unit of systemd.
ifneq ($(filter install,$(MAKECMDGOALS)),)
$(foreach p,prefix bindir libdir includedir datadir mandir zshdir unitdir,$(if $(word 2,$($p)),\
	$(error $p, '$($p)', cannot have a blank; DESTDIR can)))
endif

install: all
	install -Dm755 $(B)/tdstat '$(DESTDIR)$(bindir)/tdstat'
	install -Dm644 $(B)/libtdstat.a '$(DESTDIR)$(libdir)/libtdstat.a'
	install -Dm755 $(B)/libtdstat.so.0 '$(DESTDIR)$(libdir)/libtdstat.so.0'
	ln -sf libtdstat.so.0 '$(DESTDIR)$(libdir)/libtdstat.so'
	install -Dm644 -t '$(DESTDIR)$(includedir)' lib/region/tdstat.h lib/region/tdstat.hpp
	install -d '$(DESTDIR)$(libdir)/pkgconfig'
	sed 's|@PREFIX@|$(prefix)|; s|@LIBDIR@|$(libdir)|; s|@VERSION@|$(VERSION)|; s|@HOMEPAGE@|$(HOMEPAGE)|' \
		lib/region/tdstat.pc.in >'$(DESTDIR)$(libdir)/pkgconfig/tdstat.pc'
	install -Dm644 -t '$(DESTDIR)$(datadir)/doc/tdstat/regions' \
		lib/region/LICENSE $(wildcard lib/region/examples/*)
	$(foreach p,$(PAGES),install -Dm644 $p '$(DESTDIR)$(mandir)/man$(subst .,,$(suffix $p))/$(notdir $p)' &&) :
	for page in td_begin td_end td_thread_init td_flush td_read; do \
		ln -sf tdstat-regions.3 '$(DESTDIR)$(mandir)'/man3/$$page.3; done
	install -Dm644 cmd/completion/tdstat.bash '$(DESTDIR)$(datadir)/bash-completion/completions/tdstat'
	install -Dm644 cmd/completion/_tdstat '$(DESTDIR)$(zshdir)/_tdstat'
	install -Dm644 -t '$(DESTDIR)$(datadir)/fish/vendor_completions.d' cmd/completion/tdstat.fish
	install -Dm644 -t '$(DESTDIR)$(datadir)/tdstat' cmd/output/rows.schema.json
ifneq ($(filter serve,$(WINGS)),)
	install -Dm644 -t '$(DESTDIR)$(datadir)/tdstat/prometheus' cmd/serve/rules.yml cmd/serve/grafana.json
	install -d '$(DESTDIR)$(unitdir)'
	sed 's|@BINDIR@|$(bindir)|' cmd/serve/tdstat.service.in >'$(DESTDIR)$(unitdir)/tdstat.service'
endif
	install -d '$(DESTDIR)$(datadir)/tdstat/pmu-events'
	cp -R $(B)/pmu-events/. '$(DESTDIR)$(datadir)/tdstat/pmu-events'

# --- releases and packages ----------------------------------------------------

TARBALL := build/tdstat-$(VERSION).tar.xz

dist:
	@.ci/tarball $(VERSION) $(TARBALL)
	@echo $(TARBALL)

# The tarball passes make check in a fresh directory, and makes the same tarball there.
distcheck: dist deps tools build/linux/.unpacked build/metrics
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	tar -C "$$folder" -xf $(TARBALL) && cd "$$folder/tdstat-$(VERSION)" && \
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(MAKE) -s -j2 TOOLS= ONLY='$(ONLY)' dist check-here \
		KERNEL_SRC='$(CURDIR)/build/linux' METRICS_SRC='$(CURDIR)/build/metrics' && \
	cmp $(TARBALL) '$(CURDIR)/$(TARBALL)'

# Debian's, in build/deb, with the parts of the kernel and the metric files that are
# here.  Their source is the tarball without the corpus of the fuzz tests: lintian looks
# for the source of each ELF file in it.
DEB := build/deb/tdstat-$(VERSION)

deb: deb-deps
	@$(MAKE) --no-print-directory deb-here

deb-here: $(UAPI) build/metrics
	@command -v dh >/dev/null || { echo "needs debhelper: try 'make deb-deps'" >&2; exit 1; }
	@rm -rf build/deb
	@.ci/tarball $(VERSION) build/deb/tdstat_$(VERSION).orig.tar.xz tests/fuzz/corpus
	@tar -C build/deb -xf build/deb/tdstat_$(VERSION).orig.tar.xz
	@cp -R .ci/debian $(DEB)
	@cd $(DEB) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u TDSTAT \
		KERNEL_SRC='$(CURDIR)/build/linux' METRICS_SRC='$(CURDIR)/build/metrics' \
		dpkg-buildpackage -J -us -uc -Pnocheck,pkg.tdstat.kernel-src >../log 2>&1 || { cat ../log; exit 1; }
	@ls build/deb/*.deb

clean:
	rm -rf build

.PHONY: all static static-here static-deps objects fuzz-programs deps build-deps lint-deps deb-deps tools deb deb-here dist distcheck run run-here \
	check check-here check-all check-bare check-bare-here check-core check-core-here check-without \
	check-san check-san-here check-machine check-machine-all check-booted emulator emulator-deps \
	check-perf check-perf-here check-packages check-packages-here check-fresh check-fresh-all fuzz bench lint \
	$(LINTS:%=lint-%) \
	tidy format install clean
.DELETE_ON_ERROR:
