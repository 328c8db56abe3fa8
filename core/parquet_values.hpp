// How values and levels lie in the pages of Parquet: https://parquet.apache.org/docs/file-format/data-pages/encodings/
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rankmark {

// All throw ParquetFault where bytes are missing.

// Reads as many numbers as there is room for, of up to 32 bits each, in runs of one number and runs of packed ones.
void read_hybrid(std::string_view bytes, unsigned bits, std::span<std::int32_t> numbers);

// Whether these runs say of so many values that each is there, at level 1.
bool all_are_there(std::string_view levels, std::int64_t count);

// Finds as many texts as there is room for, which lie one behind another: the places of their lengths.
void find_texts(std::string_view bytes, std::span<std::uint32_t> places);

// The checksum that pages may have, as in gzip.
std::uint32_t crc32(std::string_view bytes) noexcept;

}  // namespace rankmark
