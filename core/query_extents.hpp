// Where the lines of each query stand in a file of text, so that a few queries can be read at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "blocks.hpp"
#include "file.hpp"
#include "ids.hpp"
#include "layout.hpp"

namespace rankmark {

struct QueryExtents {
  IdTable queries;                   // in the order in which they begin
  std::vector<std::uint32_t> query;  // of each extent, in the order of the file
  std::vector<Extent> extents;       // consecutive lines of one query; several where a query comes back
};

QueryExtents find_extents(const File& file, const TextLayout& layout, const ReadOptions& options);

}  // namespace rankmark
