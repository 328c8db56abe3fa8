// Arrays of labels and scores, taken as they lie.
#pragma once

#include <optional>

#include "convert.hpp"

namespace rankmark {

nb::tuple align_rows(const Input<double>& labels, const Input<double>& scores, const Input<std::int64_t>& starts,
                     const std::optional<Input<std::int32_t>>& ids, const RankingOptions& ranking, int threads);

// None where a document stands twice for a query.
nb::object align_numbered_rows(const Input<double>& labels, const Input<std::int64_t>& starts,
                               const std::optional<Input<std::int32_t>>& documents,
                               const Input<std::int64_t>& run_starts, const std::optional<Input<std::int64_t>>& ids,
                               const std::optional<Input<double>>& scores, const RankingOptions& ranking, int threads);

// A number by which values are known again, and the place of the first that is none, if there is one.
nb::tuple fingerprint_of(const Input<double>& values, bool finite, int threads);

// Writes whole numbers as doubles; true if all are among those, up to 2^53, that doubles hold without gaps.
bool convert_whole(const Input<std::int64_t>& whole, const Output<double>& doubles, int threads);

nb::tuple sorted_rows(const Input<double>& labels, const Input<std::int64_t>& starts, double lowest, std::int64_t most,
                      int threads);

}  // namespace rankmark
