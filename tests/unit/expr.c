// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/formula/expr.h"

#include <errno.h>
#include <fts.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

static const struct {
	const char *name;
	double value;
} vars[] = {
	{ .name = "a", .value = 2 },
	{ .name = "b", .value = 3 },
	{ .name = "c", .value = 5 },
	{ .name = "zero", .value = 0 },
	{ .name = "n", .value = NAN },
	{ .name = "#smt_on", .value = 1 },
	{ .name = "slots", .value = 400 },
	{ .name = "has_event(x)", .value = 7 },
	{ .name = "source_count(cpu_core/x,y=1/)", .value = 11 },
	{ .name = "aggr_nr(x)", .value = 13 },
	{ .name = "cpu_core/topdown-fe-bound/", .value = 10 },
	{ .name = "cpu_core/topdown-bad-spec/", .value = 20 },
	{ .name = "cpu_core/topdown-retiring/", .value = 30 },
	{ .name = "cpu_core/topdown-be-bound/", .value = 40 },
};

static int find_var(void *ctx, const char *name)
{
	(void)ctx;
	for (size_t i = 0; i < TD_ARRAY_SIZE(vars); i++) {
		if (strcmp(vars[i].name, name) == 0)
			return (int)i;
	}
	return strcmp(name, "loop") == 0 ? -ELOOP : -ENOENT;
}

/* clang-format off */
static const struct {
	const char *text;
	const char *name; /* NULL: text */
	double want;
} evals[] = {
	/* precedence: each row would differ if two levels were swapped */
	{ .text = "1 + 2 * 3", .want = 7 },
	{ .text = "2 * 3 + 1", .want = 7 },
	{ .text = "(1 + 2) * 3", .want = 9 },
	{ .text = "9 - 8 / 4", .want = 7 },
	{ .text = "1 + 7 % 4", .want = 4 },
	{ .text = "2 < 3 + 1", .want = 1 },
	{ .text = "1 + 3 > 2", .want = 1 },
	{ .text = "4 > 3 & 2", .want = 1 },
	{ .text = "3 >= 3", .want = 1 },
	{ .text = "2 >= 3", .want = 0 },
	{ .text = "3 <= 3", .want = 1 },
	{ .text = "4 <= 3", .want = 0 },
	{ .text = "1 + 3 >= 2 * 2", .want = 1 },
	{ .text = "a >= 2 & b <= 2", .want = 0 },
	{ .text = "n >= 3", .want = NAN },
	{ .text = "has_event(x) + 1", .want = 8 },
	{ .text = "source_count(cpu_core@x\\,y\\=1@) * 2", .want = 22 },
	{ .text = "3 * aggr_nr( x )", .want = 39 },
	{ .text = "2 & 4 > 3", .want = 1 },
	{ .text = "a > 0.1 & b > 0.2", .want = 1 },
	{ .text = "a > 0.1 & b > 20", .want = 0 },
	{ .text = "0 & 0 ^ 1", .want = 1 },
	{ .text = "1 ^ 1 & 0", .want = 1 },
	{ .text = "1 | 1 ^ 1", .want = 1 },
	{ .text = "1 ^ 1 | 1", .want = 1 },
	{ .text = "1 | 0 & 0", .want = 1 },
	{ .text = "0 & 0 | 1", .want = 1 },
	{ .text = "1 | 1 ^ 1 & 1 < 1 + 1 * 1", .want = 1 },
	{ .text = "2 * 3 + 4 > 9 & 1 ^ 1 | 0", .want = 0 },

	/* associativity: left */
	{ .text = "10 - 4 - 3", .want = 3 },
	{ .text = "10 - (4 - 3)", .want = 9 },
	{ .text = "24 / 4 / 2", .want = 3 },
	{ .text = "24 / (4 / 2)", .want = 12 },
	{ .text = "24 / 4 * 2", .want = 12 },
	{ .text = "2 * 7 % 4", .want = 2 },
	{ .text = "7 % 4 * 2", .want = 6 },
	{ .text = "17 % 10 % 4", .want = 3 },
	{ .text = "10 - 4 + 3", .want = 9 },
	{ .text = "3 > 2 > 1", .want = 0 },
	{ .text = "1 < 2 < 2", .want = 1 },
	{ .text = "2 > 1 < 1", .want = 0 },
	{ .text = "((1 - 2) - 3) - (4 - (5 - 6))", .want = -9 },

	/* unary minus */
	{ .text = "-2 + 5", .want = 3 },
	{ .text = "-2 * -3", .want = 6 },
	{ .text = "a - -b", .want = 5 },
	{ .text = "a--b", .want = 5 },
	{ .text = "a - - -b", .want = -1 },
	{ .text = "--a", .want = 2 },
	{ .text = "---a", .want = -2 },
	{ .text = "-a * b", .want = -6 },
	{ .text = "10 - -2 - 3", .want = 9 },
	{ .text = "-(1 + 2) * 2", .want = -6 },
	{ .text = "-(1 + 2 * 3)", .want = -7 },
	{ .text = "2 * -3 + 1", .want = -5 },
	{ .text = "-2 < 1", .want = 1 },
	{ .text = "-max(1, 2) + 5", .want = 3 },

	/* choice */
	{ .text = "a + b if c else 0", .want = 5 },
	{ .text = "a + b if zero else 7", .want = 7 },
	{ .text = "1 if 0 else 2 + 3", .want = 5 },
	{ .text = "1 if 0 else 2 if 0 else 3", .want = 3 },
	{ .text = "1 if 0 else 2 if 1 else 3", .want = 2 },
	{ .text = "1 if 1 else 2 if 0 else 3", .want = 1 },
	{ .text = "(1 if 1 else 2) if 0 else 9", .want = 9 },
	{ .text = "(1 if 0 else 2) + 3", .want = 5 },
	{ .text = "1 + (1 if 1 else 2) * 4", .want = 5 },
	{ .text = "1 if 2 > 1 & 0 else 3", .want = 3 },
	{ .text = "1 if (0 if 1 else 1) else 2", .want = 2 },
	{ .text = "7 if 0.5 else 8", .want = 7 },
	{ .text = "7 if -1 else 8", .want = 7 },
	{ .text = "8 * (2 if #smt_on else 1)", .want = 16 },

	/* functions */
	{ .text = "min(2, 3)", .want = 2 },
	{ .text = "min(3, 2)", .want = 2 },
	{ .text = "min(-1, -2)", .want = -2 },
	{ .text = "max(2, 3)", .want = 3 },
	{ .text = "max(3, 2)", .want = 3 },
	{ .text = "max(1 + 1, 2 * 3)", .want = 6 },
	{ .text = "min(max(1, 2), 3)", .want = 2 },
	{ .text = "min(3, max(1, 2))", .want = 2 },
	{ .text = "10 - min(1, 3) - 1", .want = 8 },
	{ .text = "min((1 if 0 else 4), 9)", .want = 4 },
	{ .text = "min(1 < 2, 0 | 0)", .want = 0 },
	{ .text = "d_ratio(3, 4)", .want = 0.75 },
	{ .text = "d_ratio(3, 0)", .want = 0 },
	{ .text = "d_ratio(0, 0)", .want = 0 },
	{ .text = "d_ratio(1, 2) + min(1, 2) * 3", .want = 3.5 },

	/* arithmetic */
	{ .text = "1 / 4", .want = 0.25 },
	{ .text = "1 / 0", .want = NAN },
	{ .text = "0 / 0", .want = NAN },
	{ .text = "1 / (a - 2)", .want = NAN },
	{ .text = "1 / -0", .want = NAN },
	{ .text = "7.9 % 4.2", .want = 3 },
	{ .text = "-7 % 4", .want = -3 },
	{ .text = "7 % -4", .want = 3 },
	{ .text = "5 % -1", .want = 0 },
	{ .text = "7 % 0", .want = NAN },
	{ .text = "7 % 0.5", .want = NAN },
	{ .text = "1e30 % 7", .want = NAN },
	{ .text = "7 % 1e30", .want = NAN },
	{ .text = "9223372036854775808 % 10", .want = NAN },
	{ .text = "-9223372036854775808 % 10", .want = -8 },
	{ .text = "-9223372036854775808 % -1", .want = 0 },
	{ .text = "2 < 3", .want = 1 },
	{ .text = "3 < 3", .want = 0 },
	{ .text = "3 > 2", .want = 1 },
	{ .text = "3 > 3", .want = 0 },

	/* logic with known values */
	{ .text = "2 | 0", .want = 1 },
	{ .text = "0 | 0.5", .want = 1 },
	{ .text = "0 | 0", .want = 0 },
	{ .text = "2 & 4", .want = 1 },
	{ .text = "2 & 0", .want = 0 },
	{ .text = "0 & 2", .want = 0 },
	{ .text = "2 ^ 3", .want = 0 },
	{ .text = "2 ^ 0", .want = 1 },
	{ .text = "0 ^ 2", .want = 1 },
	{ .text = "0 ^ 0", .want = 0 },

	/* values that are not known */
	{ .text = "NaN", .want = NAN },
	{ .text = "n + 1", .want = NAN },
	{ .text = "1 - n", .want = NAN },
	{ .text = "n * 0", .want = NAN },
	{ .text = "n / 1", .want = NAN },
	{ .text = "1 / n", .want = NAN },
	{ .text = "n / 0", .want = NAN },
	{ .text = "n % 2", .want = NAN },
	{ .text = "2 % n", .want = NAN },
	{ .text = "-n", .want = NAN },
	{ .text = "n < 1", .want = NAN },
	{ .text = "1 < n", .want = NAN },
	{ .text = "n > 1", .want = NAN },
	{ .text = "1 > n", .want = NAN },
	{ .text = "n & 0", .want = 0 },
	{ .text = "0 & n", .want = 0 },
	{ .text = "n & 1", .want = NAN },
	{ .text = "1 & n", .want = NAN },
	{ .text = "n & n", .want = NAN },
	{ .text = "n | 1", .want = 1 },
	{ .text = "1 | n", .want = 1 },
	{ .text = "n | 0.5", .want = 1 },
	{ .text = "n | 0", .want = NAN },
	{ .text = "0 | n", .want = NAN },
	{ .text = "n | n", .want = NAN },
	{ .text = "n ^ 1", .want = NAN },
	{ .text = "n ^ 0", .want = NAN },
	{ .text = "1 ^ n", .want = NAN },
	{ .text = "n > 1 & 0", .want = 0 },
	{ .text = "1 / 0 | 1", .want = 1 },
	{ .text = "1 if n else 2", .want = NAN },
	{ .text = "1 if n else 1", .want = NAN },
	{ .text = "n if 0 else 2", .want = 2 },
	{ .text = "1 if 1 else n", .want = 1 },
	{ .text = "n if 1 else 2", .want = NAN },
	{ .text = "min(n, 1)", .want = NAN },
	{ .text = "min(1, n)", .want = NAN },
	{ .text = "max(n, 1)", .want = NAN },
	{ .text = "max(1, n)", .want = NAN },
	{ .text = "d_ratio(n, 2)", .want = NAN },
	{ .text = "d_ratio(2, n)", .want = NAN },
	{ .text = "d_ratio(n, 0)", .want = 0 },

	/* numbers */
	{ .text = "007", .want = 7 },
	{ .text = "5.", .want = 5 },
	{ .text = ".5", .want = 0.5 },
	{ .text = "12.25", .want = 12.25 },
	{ .text = "1e3", .want = 1000 },
	{ .text = "1e-2", .want = 0.01 },
	{ .text = "1.5e2", .want = 150 },
	{ .text = "5.e2", .want = 500 },
	{ .text = ".5e1", .want = 5 },
	{ .text = "1e-2-1", .want = -0.99 },

	/* blanks */
	{ .text = "1+2*3", .want = 7 },
	{ .text = "\n1\t+\r\n  2 ", .name = "1 + 2 on lines", .want = 3 },
	{ .text = "max (\n1 ,\n2 )", .name = "max on lines", .want = 2 },
	{ .text = "(1)if(0)else(2)", .want = 2 },

	/* a formula of the files: 30 / (10 + 20 + 30 + 40) + 0 */
	{ .text = "cpu_core@topdown\\-retiring@ / (cpu_core@topdown\\-fe\\-bound@ + "
	"cpu_core@topdown\\-bad\\-spec@ + cpu_core@topdown\\-retiring@ + "
	"cpu_core@topdown\\-be\\-bound@) + 0 * slots",
	  .want = 0.3 },
};

static const struct {
	const char *text;
	const char *want;
} names[] = {
	{ .text = "INST_RETIRED.ANY", .want = "INST_RETIRED.ANY" },
	{ .text = "EXE_ACTIVITY.1_PORTS", .want = "EXE_ACTIVITY.1_PORTS" },
	{ .text = "1_PORTS_UTIL", .want = "1_PORTS_UTIL" },
	{ .text = "100ns", .want = "100ns" },
	{ .text = "1.5.2", .want = "1.5.2" },
	{ .text = "1e", .want = "1e" },
	{ .text = "e5", .want = "e5" },
	{ .text = "0x10", .want = "0x10" },
	{ .text = "1e5x", .want = "1e5x" },
	{ .text = ".", .want = "." },
	{ .text = "INST_RETIRED.ANY_P:u", .want = "INST_RETIRED.ANY_P:u" },
	{ .text = "MEM_INST.LOADS:R", .want = "MEM_INST.LOADS:R" },
	{ .text = "chip?", .want = "chip?" },
	{ .text = "topdown\\-be\\-bound", .want = "topdown-be-bound" },
	{ .text = "a\\,b\\=c", .want = "a,b=c" },
	{ .text = "a\\\\b", .want = "a\\b" },
	{ .text = "1\\-2", .want = "1-2" },
	{ .text = "cpu@E.X\\,cmask\\=1@", .want = "cpu/E.X,cmask=1/" },
	{ .text = "cpu@E.X\\,edge@k", .want = "cpu/E.X,edge/k" },
	{ .text = "cpu_core@E.X@R", .want = "cpu_core/E.X/R" },
	{ .text = "cpu_core@a\\-b@", .want = "cpu_core/a-b/" },
	{ .text = "msr@tsc\\,cpu=cpu_core@", .want = "msr/tsc,cpu=cpu_core/" },
	{ .text = "pmu@a-b=1,c@u", .want = "pmu/a-b=1,c/u" },
	{ .text = "pmu@(a+b)*c/d@", .want = "pmu/(a+b)*c/d/" },
	{ .text = "pmu@a\\\\b@", .want = "pmu/a\\b/" },
	{ .text = "hv@a\\,chip\\=?@", .want = "hv/a,chip=?/" },
	{ .text = "OCR.X@offcore_rsp\\=0x1@", .want = "OCR.X/offcore_rsp=0x1/" },
	{ .text = "a@b@c@d@", .want = "a/b/c/d/" },
	{ .text = "#smt_on", .want = "#smt_on" },
	{ .text = "#SMT_on", .want = "#SMT_on" },
	{ .text = "#num_dies-1", .want = "#num_dies-1" },
	{ .text = "#a.b-c_1 + 2", .want = "#a.b-c_1" },
	{ .text = "min_x", .want = "min_x" },
	{ .text = "iffy", .want = "iffy" },
	{ .text = "else_", .want = "else_" },
	{ .text = "d_ratio2", .want = "d_ratio2" },
	{ .text = "NaNs", .want = "NaNs" },
	{ .text = "nan", .want = "nan" },
	{ .text = "inf", .want = "inf" },
	{ .text = "IF", .want = "IF" },
	{ .text = "1-x", .want = "x" },
	{ .text = "(x)", .want = "x" },
};

#define OPERAND "expected a number, a name or '('"
#define END	"expected an operator or the end"

static const struct {
	const char *text;
	int code; /* 0 means -EINVAL */
	const char *want;
} errors[] = {
	{ .text = "", .want = "formula '', column 1: " OPERAND },
	{ .text = "  ", .want = "formula '  ', column 3: " OPERAND },
	{ .text = "1 +", .want = "formula '1 +', column 4: " OPERAND },
	{ .text = "1 + * 2", .want = "formula '1 + * 2', column 5: " OPERAND },
	{ .text = "+1", .want = "formula '+1', column 1: " OPERAND },
	{ .text = "-", .want = "formula '-', column 2: " OPERAND },
	{ .text = "1 2", .want = "formula '1 2', column 3: " END },
	{ .text = "a b", .want = "formula 'a b', column 3: " END },
	{ .text = "a\n\tb", .want = "formula 'a  b', column 4: " END },
	{ .text = "1e-5x", .want = "formula '1e-5x', column 5: " END },
	{ .text = "a\\b", .want = "formula 'a\\b', column 2: " END },
	{ .text = "a, b", .want = "formula 'a, b', column 2: " END },
	{ .text = "a = b", .want = "formula 'a = b', column 3: " END },
	{ .text = "a $ b", .want = "formula 'a $ b', column 3: " END },
	{ .text = "a \xff", .want = "formula 'a  ', column 3: " END },
	{ .text = "1 <> 2", .want = "formula '1 <> 2', column 4: " OPERAND },
	{ .text = "1 & !a", .want = "formula '1 & !a', column 5: " OPERAND },

	{ .text = "()", .want = "formula '()', column 2: " OPERAND },
	{ .text = "1 + 2)", .want = "formula '1 + 2)', column 6: " END },
	{ .text = "(1 + 2",
	  .want = "formula '(1 + 2', column 7: expected an operator or ')'" },
	{ .text = "(1 2)",
	  .want = "formula '(1 2)', column 4: expected an operator or ')'" },

	{ .text = "min", .want = "formula 'min', column 4: expected '('" },
	{ .text = "a + min b",
	  .want = "formula 'a + min b', column 9: expected '('" },
	{ .text = "min(", .want = "formula 'min(', column 5: " OPERAND },
	{ .text = "min(1,)", .want = "formula 'min(1,)', column 7: " OPERAND },
	{ .text = "min(1)",
	  .want = "formula 'min(1)', column 6: expected an operator or ','" },
	{ .text = "max(1,2,3)",
	  .want = "formula 'max(1,2,3)', column 8: expected an operator or ')'" },
	{ .text = "min(1 if 1 else 2, 3)",
	  .want = "formula 'min(1 if 1 else 2, 3)', column 7: expected an operator or ','" },

	{ .text = "1 if 2",
	  .want = "formula '1 if 2', column 7: expected an operator or 'else'" },
	{ .text = "1 if 2 if 3 else 4",
	  .want = "formula '1 if 2 if 3 else 4', column 8: expected an operator or 'else'" },
	{ .text = "1 else 2", .want = "formula '1 else 2', column 3: " END },
	{ .text = "if 1", .want = "formula 'if 1', column 1: " OPERAND },
	{ .text = "1 if else 2",
	  .want = "formula '1 if else 2', column 6: " OPERAND },
	{ .text = "1 if 2 else",
	  .want = "formula '1 if 2 else', column 12: " OPERAND },

	{ .text = "cpu@a",
	  .want = "formula 'cpu@a', column 6: expected the closing '@'" },
	{ .text = "cpu@a b@",
	  .want = "formula 'cpu@a b@', column 6: expected the closing '@'" },
	{ .text = "cpu@a\\xb@",
	  .want = "formula 'cpu@a\\xb@', column 6: expected the closing '@'" },
	{ .text = "a + cpu@a@b@ + c",
	  .want = "formula 'a + cpu@a@b@ + c', column 13: expected the closing '@'" },

	{ .text = "1e999",
	  .want = "formula '1e999', column 1: expected a number that fits a double" },
	{ .text = "a + 1e-999",
	  .want = "formula 'a + 1e-999', column 5: expected a number that fits a double" },

	{ .text = "foo(a)",
	  .want = "formula 'foo(a)', column 1: unknown function 'foo'" },
	{ .text = "a + had_event (b)",
	  .want = "formula 'a + had_event (b)', column 5: unknown function 'had_event'" },
	{ .text = "a + has_event (b)", .code = -ENOENT,
	  .want = "formula 'a + has_event (b)', column 16: unknown name 'b'" },
	{ .text = "has_event(1)",
	  .want = "formula 'has_event(1)', column 11: expected a name" },
	{ .text = "a(b)",
	  .want = "formula 'a(b)', column 1: unknown function 'a'" },
	{ .text = "bar", .code = -ENOENT,
	  .want = "formula 'bar', column 1: unknown name 'bar'" },
	{ .text = "a + cpu@bar\\-1@ *", .code = -ENOENT,
	  .want = "formula 'a + cpu@bar\\-1@ *', column 5: unknown name 'cpu@bar\\-1@'" },
	{ .text = "1e+5", .code = -ENOENT,
	  .want = "formula '1e+5', column 1: unknown name '1e'" },
	{ .text = "#", .code = -ENOENT,
	  .want = "formula '#', column 1: unknown name '#'" },
	{ .text = "loop", .code = -ELOOP,
	  .want = "formula 'loop', column 1: unknown name 'loop'" },
	{ .text = "bar +) foo(", .code = -ENOENT,
	  .want = "formula 'bar +) foo(', column 1: unknown name 'bar'" },
};

/* head, count times unit, middle, count times after */
static const struct {
	const char *name;
	const char *head, *unit, *middle, *after;
	int count;
	double want;
	const char *error; /* part of the message; NULL: none */
} repeats[] = {
	{ .name = "100000 terms", .head = "1", .unit = "+1", .count = 99999,
	  .want = 100000 },
	{ .name = "100000 differences", .head = "1", .unit = " - 1",
	  .count = 99999, .want = -99998 },
	{ .name = "50000 products", .head = "0", .unit = " + 2*3",
	  .count = 50000, .want = 300000 },
	{ .name = "50000 calls", .head = "0", .unit = "+max(1,2)",
	  .count = 50000, .want = 100000 },
	{ .name = "100000 names", .head = "zero", .unit = "|a",
	  .count = 99999, .want = 1 },
	{ .name = "100000 minus signs", .unit = "-", .middle = "5",
	  .count = 100000, .want = 5 },
	{ .name = "100001 minus signs", .unit = "-", .middle = "5",
	  .count = 100001, .want = -5 },
	{ .name = "200 brackets", .unit = "(", .middle = "5", .after = ")",
	  .count = 200, .want = 5 },
	{ .name = "201 brackets", .unit = "(", .middle = "5", .after = ")",
	  .count = 201,
	  .error = "column 201: expected at most 200 levels of nesting" },
	{ .name = "100000 open brackets", .unit = "(", .count = 100000,
	  .error = "column 201: expected at most 200 levels of nesting" },
	{ .name = "200 sums on the right", .unit = "1+(", .middle = "1",
	  .after = ")", .count = 200, .want = 201 },
	{ .name = "200 sums on the left", .unit = "(", .middle = "1",
	  .after = "+1)", .count = 200, .want = 201 },
	{ .name = "200 times all operators", .unit = "0|0^1&0<1+2*(",
	  .middle = "3", .after = ")", .count = 200, .want = 1 },
	{ .name = "200 calls inside one another", .unit = "min(9,",
	  .middle = "7", .after = ")", .count = 200, .want = 7 },
	{ .name = "201 calls inside one another", .unit = "min(9,",
	  .middle = "7", .after = ")", .count = 201,
	  .error = "column 1201: expected at most 200 levels of nesting" },
	{ .name = "200 times else", .unit = "1 if 0 else ", .middle = "7",
	  .count = 200, .want = 7 },
	{ .name = "201 times else", .unit = "1 if 0 else ", .middle = "7",
	  .count = 201,
	  .error = "column 2413: expected at most 200 levels of nesting" },
	{ .name = "200 conditions", .unit = "4 if (", .middle = "1",
	  .after = ") else 6", .count = 200, .want = 4 },
	{ .name = "1000 brackets in a row", .head = "0", .unit = "+(1)",
	  .count = 1000, .want = 1000 },
};

#define TEN(s) s s s s s s s s s s

/* formulas longer than the part that errors show */
static const struct {
	const char *text;
	const char *want;
} cuts[] = {
	/* 80 characters are shown as a whole */
	{ .text = "a b" TEN("1234567") "1234567",
	  .want = "formula 'a b" TEN("1234567") "1234567', column 3: " END },
	/* 81: the last 4 are cut, 77 remain */
	{ .text = "a b" TEN("1234567") "12345678",
	  .want = "formula 'a b" TEN("1234567") "1234...', column 3: " END },
	/* 81, error at the end: the first 4 are cut, 77 remain */
	{ .text = "a  " TEN("+ 1 + 1") "+ 1  + *",
	  .want = "formula '..." " 1 + 1" "+ 1 + 1" "+ 1 + 1" "+ 1 + 1+ 1 + 1" "+ 1 + "
	  "1" "+ 1 + 1" "+ 1 + 1" "+ 1 + 1" "+ 1 + 1+ 1  + *', column 81: " OPERAND },
	/* 200 before, 200 after: 40 with the error's on the left, 39 right */
	{ .text = TEN(TEN("1+")) "$" TEN(TEN("+1")),
	  .want = "formula '...+" TEN("1+") "1+1+1+1+1+1+1+1+$" TEN("+1") "+1+1+1+1+1+1+1+1...', "
	  "column 201: " OPERAND },
};
/* clang-format on */

static double eval_vars(const struct td_expr *expr)
{
	double values[TD_ARRAY_SIZE(vars)];

	for (size_t i = 0; i < TD_ARRAY_SIZE(vars); i++)
		values[i] = vars[i].value;
	return td_expr_eval(expr, values);
}

static void check_eval(const char *name, const char *text, double want)
{
	struct td_err err = { 0 };
	struct td_expr *expr;
	double got = -1;
	int rc = td_expr_parse(&expr, text, find_var, NULL, &err);

	if (rc == 0)
		got = eval_vars(expr);
	ok(rc == 0 && test_near(got, want, 1e-12), "%s is %g", name, want);
	if (rc || !test_near(got, want, 1e-12))
		printf("# got: %g %s\n", got, err.msg);
	td_expr_free(expr);
}

static void check_error(const char *text, int code, const char *want)
{
	struct td_err err = { 0 };
	struct td_expr *expr;
	int rc = td_expr_parse(&expr, text, find_var, NULL, &err);

	ok(rc == code && err.code == code && !expr, "code of %s", want);
	is_str(err.msg, want, "%s", want);
	td_expr_free(expr);
}

/* Bounds are numbers; a maximum of counts is none. */
static void test_unbounded(void)
{
	static const struct {
		const char *text;
		double want;
	} rows[] = {
		{ "max(0, a - c)", -3 },
		{ "max(a - c, 0)", -3 },
		{ "min(a + b, 1)", 5 },
		{ "1 - max(0, a - c) / 3", 2 },
		{ "100 * max(0, min(1, c - a)) + 1", 301 },
		{ "max(a, b)", 3 },
		{ "max(0 + a, b)", 3 },
		{ "min(c, b - zero)", 3 },
		{ "max(0, a - c) if a < b else 7", -3 },
	};
	double values[TD_ARRAY_SIZE(vars)];

	for (size_t i = 0; i < TD_ARRAY_SIZE(vars); i++)
		values[i] = vars[i].value;
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		struct td_err err = { 0 };
		struct td_expr *expr;
		double got = NAN;

		if (!td_expr_parse(&expr, rows[i].text, find_var, NULL, &err))
			got = td_expr_eval_unbounded(expr, values);
		ok(test_near(got, rows[i].want, 1e-12), "%s without bounds: %g", rows[i].text, got);
		td_expr_free(expr);
	}
}

static void test_tables(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(evals); i++)
		check_eval(evals[i].name ? evals[i].name : evals[i].text, evals[i].text,
			   evals[i].want);
	for (size_t i = 0; i < TD_ARRAY_SIZE(errors); i++)
		check_error(errors[i].text, errors[i].code ? errors[i].code : -EINVAL,
			    errors[i].want);
	for (size_t i = 0; i < TD_ARRAY_SIZE(cuts); i++)
		check_error(cuts[i].text, -EINVAL, cuts[i].want);
}

static int keep_name(void *ctx, const char *name)
{
	snprintf(ctx, 64, "%s", name);
	return 0;
}

static void test_names(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		struct td_err err = { 0 };
		struct td_expr *expr;
		char got[64] = "";

		td_expr_parse(&expr, names[i].text, keep_name, got, &err);
		is_str(got, names[i].want, "name in %s", names[i].text);
		ok(expr != NULL, "%s parses %s", names[i].text, err.msg);
		td_expr_free(expr);
	}
}

static void put_often(FILE *fp, const char *text, int count)
{
	for (int i = 0; text && i < count; i++)
		fputs(text, fp);
}

static void check_deep_error(const char *name, const char *text, const char *want)
{
	struct td_err err = { 0 };
	struct td_expr *expr;
	int rc = td_expr_parse(&expr, text, find_var, NULL, &err);

	ok(rc == -EINVAL && strstr(err.msg, want), "%s: %s", name, want);
	td_expr_free(expr);
}

static void test_repeats(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(repeats); i++) {
		td_autofree char *text = NULL;
		size_t size;
		FILE *fp = open_memstream(&text, &size);

		put_often(fp, repeats[i].head, 1);
		put_often(fp, repeats[i].unit, repeats[i].count);
		put_often(fp, repeats[i].middle, 1);
		put_often(fp, repeats[i].after, repeats[i].count);
		fclose(fp);
		if (repeats[i].error)
			check_deep_error(repeats[i].name, text, repeats[i].error);
		else
			check_eval(repeats[i].name, text, repeats[i].want);
	}
}

static void count_slot(void *ctx, int slot)
{
	int *uses = ctx;

	uses[slot]++;
}

/* Constants: #smt_on is 1, zero is 0, n is NaN. */
static const struct {
	const char *text, *want;
} needs[] = {
	{ "a if #smt_on else b", "a" },
	{ "a if 1 - #smt_on else b", "b" },
	{ "a if #smt_on < 1 else b", "b" },
	{ "a + c if zero else b", "b" },
	{ "a if zero else b if #smt_on else c", "b" },
	{ "a if zero else b if zero else c", "c" },
	{ "a if b else c", "a b c" },
	{ "a if n else b", "" },
	{ "(a if #smt_on else b) * c", "a c" },
	{ "c * (a if #smt_on else b)", "c a" },
	{ "(a if zero else b) * c", "b c" },
	{ "(a if b else zero) * c + 1", "a b zero c" },
	{ "((a if zero else b) + 1 if #smt_on else c) - 1", "b" },
	{ "((a if zero else b) + a if zero else c) * b", "c b" },
	{ "(a if n else b) + c", "c" },
	{ "0 & a > 1", "" },
	{ "1 & a > 1", "a" },
	{ "zero & a", "zero" },
	{ "1 | a", "" },
	{ "0 | a", "a" },
	{ "a & 0", "a" },
	{ "a + 0 * b", "a b" },
	{ "a if #smt_on | b else c", "a #smt_on c" },
};

static bool is_known(void *ctx, int slot)
{
	const char *name = vars[slot].name;

	(void)ctx;
	return strcmp(name, "#smt_on") == 0 || strcmp(name, "zero") == 0 || strcmp(name, "n") == 0;
}

static void put_name(void *ctx, int slot)
{
	char *to = ctx;

	if (*to)
		strcat(to, " ");
	strcat(to, vars[slot].name);
}

static void test_needs(void)
{
	double values[TD_ARRAY_SIZE(vars)];

	for (size_t i = 0; i < TD_ARRAY_SIZE(vars); i++)
		values[i] = vars[i].value;
	for (size_t i = 0; i < TD_ARRAY_SIZE(needs); i++) {
		struct td_err err = { 0 };
		struct td_expr *expr = NULL;
		char got[1024] = "";

		if (td_expr_parse(&expr, needs[i].text, find_var, NULL, &err))
			snprintf(got, sizeof(got), "%s", err.msg);
		else
			td_expr_each_needed(expr, values, is_known, put_name, got);
		is_str(got, needs[i].want, "needs: %s", needs[i].text);
		td_expr_free(expr);
	}
}

static bool nothing_known(void *ctx, int slot)
{
	(void)ctx;
	(void)slot;
	return false;
}

static void test_slots(void)
{
	int uses[TD_ARRAY_SIZE(vars)] = { 0 };
	struct td_err err = { 0 };
	struct td_expr *expr;
	int rc = td_expr_parse(&expr, "min(a, -b) * a if #smt_on else 2 % b", find_var, NULL, &err);

	ok(rc == 0, "slots: parsed");
	if (rc)
		return;
	td_expr_each_needed(expr, NULL, nothing_known, count_slot, uses);
	ok(uses[0] == 2, "slots: a twice");
	ok(uses[1] == 2, "slots: b twice");
	ok(uses[2] == 0, "slots: c never");
	ok(uses[5] == 1, "slots: #smt_on once");
	td_expr_free(expr);
	td_expr_free(NULL);
}

/* In which formulas is a (2) in a divisor? */
static void test_divisors(void)
{
	static const struct {
		const char *text;
		bool divides;
	} formulas[] = {
		{ "b / a", true },
		{ "a / b", false },
		{ "a / b * a", false },
		{ "b / (c - a)", true },
		{ "d_ratio(b, a)", true },
		{ "d_ratio(a, b)", false },
		{ "b / (c if zero else a)", true },
		{ "b / c + b / max(a, 1)", true },
		{ "b % a", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(formulas); i++) {
		struct td_err err = { 0 };
		struct td_expr *expr = NULL;
		const char *text = formulas[i].text;

		ok(td_expr_parse(&expr, text, find_var, NULL, &err) == 0, "divisors: %s is parsed",
		   text);
		ok(td_expr_divides_by(expr, 0) == formulas[i].divides, "divisors: %s", text);
		/* each a is c then */
		td_expr_replace(expr, 0, 2);
		ok(!td_expr_divides_by(expr, 0), "divisors: %s without a", text);
		td_expr_free(expr);
	}
}

/* formulas as in the kernel's files */
struct tally {
	int parsed, foreign, failed;
};

static int any_name(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return 0;
}

/* Functions of perf that are not supported. */
static bool is_foreign(const char *text)
{
	return strstr(text, "source_count(") || strstr(text, "has_event(") ||
	       strstr(text, "strcmp_cpuid_str(") || strstr(text, "aggr_nr(");
}

static void tally_text(struct tally *tally, const char *text)
{
	struct td_err err = { 0 };
	struct td_expr *expr;

	if (td_expr_parse(&expr, text, any_name, NULL, &err) == 0) {
		tally->parsed++;
	} else if (is_foreign(text)) {
		tally->foreign++;
	} else {
		tally->failed++;
		printf("# %s\n", err.msg);
	}
	td_expr_free(expr);
}

static void tally_member(struct tally *tally, struct json_object *object, const char *key)
{
	struct json_object *text;

	if (json_object_object_get_ex(object, key, &text))
		tally_text(tally, json_object_get_string(text));
}

static void tally_file(struct tally *tally, const char *path)
{
	struct json_object *file = json_object_from_file(path);
	size_t nr = 0;

	if (json_object_is_type(file, json_type_array))
		nr = json_object_array_length(file);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *object = json_object_array_get_idx(file, i);

		tally_member(tally, object, "MetricExpr");
		tally_member(tally, object, "MetricThreshold");
	}
	json_object_put(file);
}

static void tally_folder(struct tally *tally, char *folder)
{
	char *roots[] = { folder, NULL };
	FTS *fts = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	if (!fts)
		return;
	while ((entry = fts_read(fts))) {
		const char *dot = strrchr(entry->fts_name, '.');

		if (entry->fts_info == FTS_F && dot && !strcmp(dot, ".json"))
			tally_file(tally, entry->fts_path);
	}
	fts_close(fts);
}

static void test_pmu_events(void)
{
	char *folder = getenv("TD_PMU_EVENTS");
	struct tally tally = { 0 };
	struct stat st;

	if (!folder || stat(folder, &st) < 0 || !S_ISDIR(st.st_mode)) {
		ok(true, "the kernel's formulas # SKIP no TD_PMU_EVENTS");
		return;
	}
	tally_folder(&tally, folder);
	printf("# %d parsed, %d with functions of perf's own, %d failed\n", tally.parsed,
	       tally.foreign, tally.failed);
	ok(tally.parsed > 0 && tally.failed == 0, "the kernel's formulas");
}

int main(void)
{
	test_tables();
	test_unbounded();
	test_names();
	test_repeats();
	test_slots();
	test_divisors();
	test_needs();
	test_pmu_events();
	return done_testing();
}
