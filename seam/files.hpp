// Files, read by the core through a descriptor that Python opened.
#pragma once

#include "convert.hpp"
#include "judgments.hpp"

namespace rankmark {

nb::tuple qrels_from_file(int descriptor, int threads, std::size_t block_size, const nb::object& progress);

nb::tuple align_file(int descriptor, const Judgments& judgments, const RankingOptions& ranking, bool by_rank, int threads,
                     std::size_t block_size, const nb::object& progress);

std::vector<std::uint64_t> lines_in_file(int descriptor, const nb::bytes& query, const nb::bytes& document);

std::uint64_t line_in_file(int descriptor, std::uint64_t offset);

}  // namespace rankmark
