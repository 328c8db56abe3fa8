// Arrays of labels and scores, taken as they lie.
#pragma once

#include <optional>

#include "convert.hpp"

namespace rankmark {

nb::tuple align_rows(const Column<double>& labels, const Column<double>& scores, const Column<std::int64_t>& starts,
                     const std::optional<Column<std::int32_t>>& ids, const RankingOptions& ranking, int threads);

// A number by which values are known again, and the place of the first that is none, or -1.
nb::tuple fingerprint_of(const Column<double>& values, bool finite);

nb::tuple sorted_rows(const Column<double>& labels, const Column<std::int64_t>& starts, double lowest,
                      std::int64_t most, int threads);

}  // namespace rankmark
