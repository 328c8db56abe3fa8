// Two sets of judgments brought together: which row of the one has the query and the document of each row of the other.
#pragma once

#include <cstdint>
#include <vector>

#include "judgments.hpp"
#include "poll.hpp"

namespace rankmark {

// For each row of `a`, the row of `b` with the same query and document; -1 where there is none.
std::vector<std::int64_t> rows_in(const Judgments& a, const Judgments& b, int threads, const Poll& poll);

}  // namespace rankmark
