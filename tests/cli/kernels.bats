#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat avoids faults of kernels, which saved machines pretend to have.
# tests/unit/kernel.c tests which kernels have them.

# shellcheck disable=SC2154 # helper.bash
load helper
load runs

# NOPs of five bytes as in insn_is_nop() of the kernel, then instructions that have five
# bytes or are NOPs, but not both.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	cat >program.c <<-'C'
		#define BEGINS(name, bytes) __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" \
			#name ": .byte " bytes "\nret\n.size " #name ", . - " #name "\n")
		BEGINS(nop, "0x0f, 0x1f, 0x44, 0x00, 0x00");
		BEGINS(wide, "0x66, 0x0f, 0x1f, 0x40, 0x00");
		BEGINS(prefixed, "0x66, 0x66, 0x66, 0x66, 0x90");
		BEGINS(jump, "0xe9, 0x00, 0x00, 0x00, 0x00");
		BEGINS(four, "0x0f, 0x1f, 0x40, 0x00");
		BEGINS(endbr, "0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x1f, 0x44, 0x00, 0x00");
		BEGINS(number, "0xb8, 0x00, 0x00, 0x00, 0x90");
		BEGINS(lea, "0x4c, 0x8d, 0x54, 0x24, 0x08");
		BEGINS(many, "0x90, 0x90, 0x90, 0x90, 0x90");
		BEGINS(lock, "0xf0, 0xff, 0x07");
		BEGINS(segment, "0x66, 0x3e, 0x90");
		BEGINS(thread, "0x64, 0x48, 0x8b, 0x04, 0x25, 0x00, 0x00, 0x00, 0x00");
		BEGINS(returns, "0x0f, 0x1f, 0x00, 0x2e");
		int main(void) { return 0; }
	C
	gcc -o program program.c
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL
	cp "$BATS_FILE_TMPDIR/program" .
	copied sapphirerapids
}

# on RELEASE [BUILD]: a machine with this kernel
on() {
	printf '%s\n' "$1" >machine/proc/sys/kernel/osrelease
	printf '%s\n' "${2-#1 SMP}" >machine/proc/sys/kernel/version
}

# planned SUBCOMMAND OPTION...: a dry run succeeds without a message
planned() {
	try "$TDSTAT" "$@" --dry-run -- ./program
	[ "$status:$stderr" = 0: ] || fail "$*: $status: $stderr"
}

# refused REASON REMEDY SUBCOMMAND OPTION...: it is refused with these texts
refused() {
	try "$TDSTAT" "${@:3}" --dry-run -- ./program
	[ "$status" -eq 1 ] || fail "${*:3}: $status"
	[[ ${stderr_lines[0]} == "tdstat: "*"$1"* && ${stderr_lines[1]} == "tdstat: "*"$2"* ]] ||
		fail "${*:3}: $stderr"
}

@test "no callers by frame pointers for programs with probes, where that may crash the kernel" {
	needs_wing calls pictures
	on 6.6.58-talos
	within=(locate -e cycles --in four)
	for files in --callers '--flame=x.html' '--folded=x' '--pprof=x'; do
		refused 'Linux 6.6.58-talos may crash when callers are found with frame pointers in a program with probes (Linux 6.6.83 is fixed)' \
			'--call-graph dwarf' "${within[@]}" "$files"
	done
	# the stack is copied instead, or nothing is asked for, or the risk is taken
	planned "${within[@]}" --flame=x.html --call-graph=dwarf
	planned "${within[@]}"
	planned "${within[@]}" --callers --force
	planned calls four
	# no program has probes
	planned locate -e cycles --callers
	on 6.6.83
	planned "${within[@]}" --callers
	[ ! -e x ] && [ ! -e x.html ]
}

@test "a kernel whose number does not tell its patches may be one of those" {
	needs_wing calls
	within=(locate -e cycles --in four --callers)
	on 6.8.0-51-generic '#52-Ubuntu SMP PREEMPT_DYNAMIC Thu Dec  5 13:09:44 UTC 2024'
	refused 'the version 6.8.0-51-generic does not show whether this one is)' --force "${within[@]}"
	on 6.1.0-50-amd64 '#1 SMP PREEMPT_DYNAMIC Debian 6.1.187-1 (2026-09-07)'
	planned "${within[@]}"
	on 6.1.0-31-amd64 '#1 SMP PREEMPT_DYNAMIC Debian 6.1.128-1 (2025-02-07)'
	refused '(Linux 6.1.131 is fixed)' --force "${within[@]}"
}

@test "no probe at a NOP of five bytes, where that becomes a call" {
	needs_wing calls
	on 6.18.15+deb13-amd64
	for function in nop wide prefixed jump; do
		refused "$function in $PWD/program: begins with a NOP of five bytes: after a probe there, Linux 6.18.15+deb13-amd64 kills the child processes of the program (Linux 7.2 is fixed)" \
			--force calls "$function"
	done
	refused 'nop in ' --engine=pt locate -e cycles --in nop
	# the first that is none may come before one that is
	refused 'nop in ' --force calls four,nop
	planned calls four,endbr,number,lea,many
	planned calls nop --force
	planned locate -e cycles --in nop --force
	on 7.2.0
	planned calls nop
	on 6.17.13
	planned calls nop
}

# Linux 6.18.44 behaved like this: for these functions it set only return probes.
@test "no probe at an instruction with a segment or LOCK prefix, before Linux 7.2" {
	needs_wing calls
	on 6.17.13
	for function in lock segment; do
		refused "$function in $PWD/program: begins with an instruction that has a segment or LOCK prefix, where Linux 6.17.13 sets no probe (Linux 7.2 does)" \
			--engine=pt calls "$function"
		refused 'sets no probe' --engine=pt locate -e cycles --in "$function" --force
	done
	refused "returns in $PWD/program: returns with an instruction that has a segment or LOCK prefix" --engine=pt calls returns
	planned calls thread,four
	on 7.2.0
	planned calls lock,segment,returns
}

@test "events that the kernel may put on counters that do not count them" {
	on 6.12.48
	try "$TDSTAT" -e cycle_activity.stalls_l3_miss,cpu/event=0xa3,umask=0xc,cmask=12/,cycle_activity.stalls_total --dry-run -- true
	[ "$status" -eq 0 ]
	assert_equal "${#stderr_lines[@]}" 2
	for i in 0 1; do
		[[ ${stderr_lines[i]} == 'tdstat: c'*': too small if Linux 6.12.48 chooses a counter that does not count it; Linux 7.2 knows which do' ]]
	done
	[[ ${stderr_lines[0]} == *stalls_l3_miss* && ${stderr_lines[1]} == *umask=0xc* ]]
	on 7.2.0
	try "$TDSTAT" -e cycle_activity.stalls_l3_miss --dry-run -- true
	[ -z "$stderr" ]
	# Ice Lake has had them right
	rm -r machine
	copied icelakex
	on 6.12.48
	try "$TDSTAT" -e cycle_activity.stalls_l3_miss --dry-run -- true
	[ -z "$stderr" ]
	# Nova Lake's are Panther Cove's
	rm -r machine
	copied lunarlake
	identity 18 1 1
	on 7.2.6
	try "$TDSTAT" -e cpu_core/event=0xb2,umask=1/ --dry-run -- true
	assert_equal "$stderr" "tdstat: cpu_core/event=0xb2,umask=1/: too small if Linux 7.2.6 chooses a counter that does not count it; Linux 7.2.9 knows which do"
	[[ $output == *"Coyote Cove"* ]]
}

# --- doctor -----------------------------------------------------------------------

@test "doctor lists exactly the faults of this kernel and machine" {
	python <<-'PYTHON'
		import json
		KERNEL = os.environ["PROCFS_PATH"] + "/sys/kernel/"
		ALL = {"crash": "warning", "NOP": "note", "stalls_l3_miss": "note", "0xb2": "note"}
		def check(release, *wanted, build="#1 SMP", sure=True):
		    put(KERNEL + "osrelease", release + "\n")
		    put(KERNEL + "version", build + "\n")
		    page = Run("doctor", "-j")
		    first, *found = [one for one in json.loads(page.out)["findings"] if one["name"] == "kernel"]
		    page.expect(first["text"].startswith(f"Linux {release}"), first)
		    page.expect(len(found) == len(wanted), found)
		    for (word, fixed), one in zip(wanted, found):
		        page.expect(word in one["text"] and one["remedy"] == f"fixed in Linux {fixed}", one)
		        page.expect(one["state"] == (ALL[word] if sure else "note"), one)
		        page.expect(one["text"].startswith(f"unless the distribution of Linux {release} has fixed it") != sure, one)
		golden = "stalls_l3_miss", "7.2"
		check("7.2.0")
		check("6.12.48", golden)
		check("6.6.58", ("crash", "6.6.83"), golden)
		check("7.1.13", ("NOP", "7.2"), golden)
		check("6.8.0-51-generic", ("crash", "6.12.19"), golden, sure=False)
		check("6.1.0-50-amd64", golden, build="#1 SMP PREEMPT_DYNAMIC Debian 6.1.187-1 (2026-09-07)")
	PYTHON
	rm -r machine
	copied icelakex
	on 6.12.48
	try "$TDSTAT" doctor
	[[ $output != *stalls_l3_miss* ]]
}
