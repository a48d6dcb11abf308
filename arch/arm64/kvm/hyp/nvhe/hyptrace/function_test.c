// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions at EL2 that call each other as tests know: hyp_test_tree() in
 * tools/testing/selftests/hyp_trace/functions/hyp_function_test.c. Unlike the rest of tracing,
 * they have hooks.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/test.h>

#include <linux/errno.h>

/* Neither inlined nor cloned. A barrier() in it keeps it from being left out. */
#define test_function	noinline __noclone

static test_function void hyp_test_leaf(u64 arg)
{
	OPTIMIZER_HIDE_VAR(arg);
	barrier();
}

static test_function void hyp_test_branch(u64 arg)
{
	hyp_test_leaf(arg);
	hyp_test_leaf(arg + 1);
}

/* Results of all kinds. Of a static function clang may drop the result, so it is not recorded. */

static test_function u64 hyp_test_small(void)
{
	u64 result = 4095;

	OPTIMIZER_HIDE_VAR(result);
	barrier();
	return result;
}

static test_function long hyp_test_long_error(void)
{
	long result = -ENOENT;

	OPTIMIZER_HIDE_VAR(result);
	barrier();
	return result;
}

test_function int hyp_test_int_error(void)
{
	int result = -EINVAL;

	OPTIMIZER_HIDE_VAR(result);
	barrier();
	return result;
}

static test_function void *hyp_test_address(void)
{
	void *result = hyp_test_address;

	OPTIMIZER_HIDE_VAR(result);
	barrier();
	return result;
}

test_function bool hyp_result_bool(void)
{
	bool result = true;

	OPTIMIZER_HIDE_VAR(result);
	barrier();
	return result;
}

/* It is not in function_results.list. */
test_function int hyp_result_unlisted(void)
{
	int result = -EPERM;

	OPTIMIZER_HIDE_VAR(result);
	barrier();
	return result;
}

/* Without a result, with what looks like one where it would be. */
static test_function void hyp_result_void(void)
{
	asm volatile("mov x0, #1445" : : : "x0");
}

/* A compiler may leave out a result that nobody uses. */
#define use(result)				\
do {						\
	typeof(result) __result = result;	\
						\
	OPTIMIZER_HIDE_VAR(__result);		\
} while (0)

/* Call eleven functions, this one included. */
test_function void hyp_test_tree(void)
{
	hyp_test_branch(1);
	hyp_test_branch(2);
	use(hyp_test_small());
	use(hyp_test_long_error());
	use(hyp_test_int_error());
	use(hyp_test_address());
}

/* Call further functions, with results and without. */
test_function void hyp_result_kinds(void)
{
	use(hyp_result_bool());
	use(hyp_result_unlisted());
	hyp_result_void();
}

/* Call itself @depth times, and record the event selftest where that ends. */
test_function u64 hyp_test_recurse(u64 depth)
{
	OPTIMIZER_HIDE_VAR(depth);
	if (depth)
		return 1 + hyp_test_recurse(depth - 1);

	hyp_emit_selftest(0);
	return 0;
}
