/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_REPLAY_H
#define TD_REPLAY_H

/*
 * With -DTD_FUZZ, a target for libFuzzer; without it, a program that passes the
 * files named on its command line to the same function.
 */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef TD_FUZZ
static int replay(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *fp = fopen(path, "re");
	size_t size;

	if (!fp)
		return -1;
	size = fread(data, 1, sizeof(data), fp);
	fclose(fp);
	return LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		int rc = replay(argv[i]);

		printf("%sok %d - %s\n", rc ? "not " : "", i, argv[i]);
		failed |= rc;
	}
	printf("1..%d\n", argc - 1);
	return failed ? 1 : 0;
}
#endif

#endif
