# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Functions with which tests read JSON.

# jq [OPTION...] FILTER [FILE...]: jq, to which the heads of rows do not exist, as
# most tests are of the rows.  To see heads: command jq
jq() {
	local options=() filter='' rows='select(type != "object" or (has("tdstat_rows") | not))'

	while [[ ${1-} == -?* ]]; do
		case $1 in
		--arg | --argjson | --slurpfile | --rawfile)
			options+=("$1" "$2" "$3")
			shift 2
			;;
		--indent | -L)
			options+=("$1" "$2")
			shift
			;;
		-f)
			filter=$(<"$2")
			shift
			;;
		*)
			[[ $1 != -[!-]*s* && $1 != -s* && $1 != --slurp ]] || rows="map($rows)"
			options+=("$1")
			;;
		esac
		shift
	done
	if [ -z "$filter" ]; then
		filter=$1
		shift
	fi
	command jq "${options[@]}" "$rows | ($filter
)" "$@"
}

# in_schema FILE...: each line is one that the schema of rows has; prints how many of
# each kind
in_schema() {
	PYTHONDONTWRITEBYTECODE=1 python3 "$BATS_TEST_DIRNAME/../cli/schema.py" \
		"$BATS_TEST_DIRNAME/../../cmd/output/rows.schema.json" "$@"
}
