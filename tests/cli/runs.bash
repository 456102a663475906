# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Tables of cases in Python, which starts far fewer processes than a shell.

# python: a program of standard input, with what runs.py has
python() {
	{
		echo 'from runs import *'
		cat
		echo 'finish()'
	} | PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BATS_TEST_DIRNAME/../cli python3 -
}
