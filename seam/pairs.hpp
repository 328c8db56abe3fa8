// Whole rankings, and two runs' rankings or two sets of judgments brought together.
#pragma once

#include "convert.hpp"
#include "files.hpp"
#include "judgments.hpp"
#include "layout.hpp"
#include "rankings.hpp"

namespace rankmark {

// An empty `ties` leaves documents with equal scores tied.
ListOptions list_options(std::string_view ties, std::int64_t deepest, bool negated);

// The rankings, and how many rows the file has. Of a file that is no stream, `extents` names what is read: begin and
// end, and so on.
nb::tuple rankings_from_file(const Bytes& source, const TextLayout& layout, const ListOptions& list, int threads,
                             std::size_t block_size, const nb::object& progress,
                             const std::optional<Input<std::int64_t>>& extents);

// The ids of the queries, and of each extent in the order of the file: the query's number, begin and end.
nb::tuple query_extents(int descriptor, const TextLayout& layout, int threads, std::size_t block_size,
                        const nb::object& progress);

// Rows, each with the number of its query and of its document in the lists of ids, which are text. A query has each of
// its documents once, with the first label that a row gives it, or 1 where there are no labels.
Judgments qrels_from_rows(const Input<std::uint32_t>& queries, const nb::list& query_ids,
                          const Input<std::uint32_t>& documents, const nb::list& doc_ids,
                          const std::optional<Input<double>>& labels);

// The rankings of such rows, in which no document may stand twice for a query.
Rankings rankings_from_rows(const Input<std::uint32_t>& queries, const nb::list& query_ids,
                            const Input<std::uint32_t>& documents, const nb::list& doc_ids, const Input<double>& scores,
                            const ListOptions& list);

// Of a dict of dicts of text ids and floats; none where it holds anything else.
std::optional<Rankings> rankings_from_dict(const nb::dict& run, const ListOptions& list);

nb::tuple paired_rankings(const Rankings& a, const Rankings& b, const Input<std::int64_t>& queries_a,
                          const Input<std::int64_t>& queries_b, int threads);

// For each row of `a`, the row of `b` with the same query and document; -1 where there is none.
Array<std::int64_t> paired_judgments(const Judgments& a, const Judgments& b, int threads);

// The distinct pairs of two columns of numbers from 0: where those of each number of the first column begin, and the
// numbers of the second that it meets, rising.
nb::tuple distinct_pairs(const Input<std::uint32_t>& first, const Input<std::uint32_t>& second, std::size_t firsts,
                         std::size_t seconds);

// The ids of the documents of some rows.
nb::list documents_of_rows(const Judgments& of, const Input<std::int64_t>& rows);

}  // namespace rankmark
