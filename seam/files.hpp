// Files, read by the core through a descriptor that Python opened.
#pragma once

#include <nanobind/stl/variant.h>

#include <variant>

#include "byte_stream.hpp"
#include "convert.hpp"
#include "file.hpp"
#include "ids.hpp"
#include "judgments.hpp"
#include "layout.hpp"
#include "readers.hpp"

namespace rankmark {

// The descriptor of a regular file, or a stream.
using Bytes = std::variant<int, ByteStream*>;

File file_of(const Bytes& source);

// A stream that calls `rewind` to be produced anew.
ByteStream* byte_stream(nb::object rewind);

// Adds bytes to a stream, without the interpreter lock.
bool push_bytes(ByteStream& stream, const nb::bytes& piece);

// An empty separator stands for any run of blanks.
TextLayout text_layout(std::string_view separator, std::size_t columns, std::size_t query, std::size_t document,
                       std::optional<std::size_t> number, std::optional<std::size_t> rank, std::uint64_t begin,
                       bool labels, bool by_rank, bool more_columns, std::string_view wanted, bool single,
                       std::size_t scanner);

nb::tuple qrels_from_file(const Bytes& source, const TextLayout& layout, int threads, std::size_t block_size,
                          const nb::object& progress);

nb::tuple align_file(const Bytes& source, const TextLayout& layout, const Judgments& judgments,
                     const RankingOptions& ranking, int threads, std::size_t block_size, const nb::object& progress);

// Of some queries alone, where they are given.
nb::tuple rows_from_file(const Bytes& source, const TextLayout& layout, bool lenient, int threads,
                         std::size_t block_size, const nb::object& progress, const std::optional<nb::list>& queries);

std::vector<std::uint64_t> lines_in_file(const Bytes& source, const TextLayout& layout, const nb::bytes& query,
                                         const nb::bytes& document);

std::uint64_t line_in_file(const Bytes& source, std::uint64_t offset);

}  // namespace rankmark
