// The rankings of several runs brought together.
#pragma once

#include <memory>

#include "convert.hpp"
#include "united.hpp"

namespace rankmark {

// `queries` has a row for each run: the numbers of the queries in it, or -1.
std::unique_ptr<United> united(const nb::list& runs, const Input<std::int64_t>& queries, int threads);

// Runs x documents, in memory of `united`.
nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<2>> united_at(const United& united);

// The columns of one run: starts, scores, and first and last ranks of ties.
nb::tuple united_run(const United& united, std::size_t run);

// Gives each document what `values` have for the row at which it stands in a run's list of its query, or `absent`. The
// lists of queries, whose documents begin at `starts`, begin at `firsts` among the values.
void spread_rows(const Input<std::int64_t>& starts, const Input<std::int32_t>& at, const Input<std::int64_t>& firsts,
                 const Input<double>& values, double absent, const Output<double>& spread);

Array<std::int64_t> united_order(const United& united, const Input<double>& scores, std::string_view ties, int threads);

IdTuple united_ids(const United& united, const Input<std::int64_t>& documents);

Table united_table(const United& united, const Input<std::int64_t>& documents, const Input<double>& scores,
                   int threads);

// Bytes, or None where the lines cannot hold an id.
nb::object united_lines(const United& united, const Input<std::int64_t>& documents, const Input<double>& scores,
                        const nb::bytes& tag, int threads);

}  // namespace rankmark
