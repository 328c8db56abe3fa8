// Arrow's types: how each lies in memory, and what people call it.
#pragma once

#include <string>
#include <string_view>

#include "table.hpp"

namespace rankmark {

// The letters of the C data interface for identifiers that an extension type marks; Arrow itself has none.
inline constexpr std::string_view kUuidFormat = "uuid";

struct DecimalType {
  int width = 0;  // bytes; 0 where it cannot be read
  int scale = 0;
};

DecimalType decimal_type_of(std::string_view format) noexcept;

// What a column holds, in words and in the plural.
std::string held_by_type(std::string_view format);

}  // namespace rankmark
