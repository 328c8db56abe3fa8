// Snappy's format: https://github.com/google/snappy/blob/main/format_description.txt
#pragma once

#include <cstddef>
#include <string_view>

namespace rankmark {

// The most bytes that so many packed ones can become: a copy of 64 takes three.
constexpr std::size_t most_from_snappy(std::size_t packed) noexcept { return 22 * packed; }

// Unpacks exactly `size` bytes to `out`. False where the packed bytes are damaged, or become fewer or more.
bool unpack_snappy(std::string_view packed, char* out, std::size_t size) noexcept;

}  // namespace rankmark
