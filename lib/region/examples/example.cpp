// SPDX-License-Identifier: MIT
// g++ example.cpp $(pkg-config --cflags --libs tdstat) && tdstat regions -- ./a.out
#include <cstdio>
#include <tdstat.hpp>
#include <vector>

static double total(const std::vector<double> &v)
{
	TD_REGION("total");
	double s = 0;

	for (double x : v)
		s += x;
	return s;
}

int main()
{
	std::vector<double> v(1 << 20, 1.5);
	double s = 0;

	for (int i = 0; i < 100; i++) {
		td::region region("divide");

		for (double &x : v)
			x = x / 1.0001 + 1;
		s += total(v);
	}
	std::printf("%g\n", s);
}
