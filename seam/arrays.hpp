// Arrays of labels and scores, taken as they lie.
#pragma once

#include <nanobind/stl/variant.h>

#include <optional>
#include <variant>

#include "convert.hpp"

namespace rankmark {

// Whole numbers are at most 2^53.
using Labels = std::variant<Input<double>, Input<std::int64_t>>;

// Without labels, that of a row is its place.
nb::tuple align_rows(const std::optional<Labels>& labels, const Input<double>& scores,
                     const Input<std::int64_t>& starts, const std::optional<Input<std::int32_t>>& ids,
                     const RankingOptions& ranking, int threads);

using NumberedIds = std::variant<Input<std::int64_t>, Input<std::uint32_t>>;

// None where a document stands twice for a query. `own` numbers the documents with the ids of the queries.
nb::object align_numbered_rows(const Input<double>& labels, const Input<std::int64_t>& starts,
                               const std::optional<Input<std::int32_t>>& documents,
                               const Input<std::int64_t>& run_starts, const std::optional<NumberedIds>& ids,
                               const std::optional<Input<double>>& scores, const RankingOptions& ranking, int threads,
                               const std::optional<Input<std::int64_t>>& own);

// A number by which values are known again, and the place of the first that is none, or may be none among doubles, if
// there is one.
nb::tuple fingerprint_of(const Labels& values, bool finite, int threads);

// Writes whole numbers as doubles; true if all are among those, up to 2^53, that doubles hold without gaps.
bool convert_whole(const Input<std::int64_t>& whole, const Output<double>& doubles, int threads);

nb::tuple sorted_rows(const Labels& labels, const Input<std::int64_t>& starts, double lowest, std::int64_t most,
                      int threads);

}  // namespace rankmark
