// The ways in which a text can be read, which must not matter: blocks, threads, scanners, files and streams.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "byte_stream.hpp"
#include "file.hpp"
#include "input.hpp"
#include "layout.hpp"
#include "readers.hpp"
#include "text.hpp"

namespace fuzz {

struct Way {
  std::size_t block = std::size_t{1} << 19;
  int threads = 1;
  std::size_t scanner = 0;
  std::size_t pieces = 0;  // bytes that a stream gives at once; 0 for a file
  std::uint64_t memory = std::uint64_t{1} << 29;
};

// One file for the whole process: making another for each input would take longer than reading it.
inline int descriptor_of(std::string_view text) {
  static std::FILE* const file = std::tmpfile();
  expect(file != nullptr, "no temporary file");
  const int descriptor = fileno(file);
  expect(ftruncate(descriptor, 0) == 0, "a temporary file was not cut");
  expect(pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()), "nor written");
  return descriptor;
}

// Calls `use(file, layout, options)`, and gives what it tells or what is wrong with the text.
template <class Use>
std::string read_in_way(std::string_view text, rankmark::TextLayout layout, const Way& way, const Use& use) {
  layout.cut.scanner = way.scanner;
  rankmark::ReadOptions options;
  options.threads = way.threads;
  options.block_size = way.block;
  options.memory = way.memory;
  Told told;
  try {
    if (way.pieces == 0) {
      use(rankmark::File(descriptor_of(text)), layout, options, told);
    } else {
      rankmark::ByteStream* of = nullptr;
      rankmark::ByteStream stream([&] {
        of->start();
        for (std::size_t at = 0; at < text.size(); at += way.pieces) {
          of->push(text.data() + at, std::min(way.pieces, text.size() - at));
        }
        of->finish();
      });
      of = &stream;
      use(rankmark::File(stream), layout, options, told);
    }
  } catch (const rankmark::ParseFault& fault) {
    expect(fault.offset <= text.size(), "a fault lies behind the text");
    told = Told();
    told << "line" << 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(fault.offset), '\n')
         << fault.message.found << fault.message.remedy;
  } catch (const rankmark::DuplicateFault& fault) {
    told = Told();
    told << "duplicate" << fault.query << fault.document;
  }
  return std::move(told).text();
}

inline bool is_fault_of_line(std::string_view told) { return told.starts_with("<line> "); }
inline bool is_duplicate(std::string_view told) { return told.starts_with("<duplicate> "); }

// The plainest way, then others that the input chooses.
inline std::vector<Way> ways_of(Input& input) {
  const std::size_t scanners = rankmark::scanners().size();
  std::vector<Way> ways{{std::size_t{1} << 14, 1, scanners - 1, 0}};
  const std::size_t block = 1 + input.below(100);
  const std::uint8_t how = input.byte();
  for (std::size_t scanner = 0; scanner + 1 < scanners; ++scanner) ways.push_back({std::size_t{1} << 12, 1, scanner});
  ways.push_back({block, 1, how % scanners, 0, 0});
  ways.push_back({block + 64, 1, 0, 1 + input.below(50), 300});
  // A thread takes longer to start than a text to read.
  if ((how & 0xc0) == 0) ways.push_back({block, 2 + how % 3, 0, (how & 0x20) != 0 ? block + 3u : 0u});
  return ways;
}

// One that a reader of files could choose.
inline rankmark::TextLayout layout_of(Input& input, bool labels) {
  static constexpr char kSeparators[] = {'\0', '\0', ',', '\t', ';', '|'};
  rankmark::TextLayout layout;
  layout.labels = labels;
  layout.cut.separator = kSeparators[input.below(sizeof kSeparators)];
  const std::uint8_t flags = input.byte();
  const auto columns = [&](std::size_t count, std::size_t query, std::size_t document,
                           std::optional<std::size_t> number, std::optional<std::size_t> rank = std::nullopt) {
    layout.cut.columns = count;
    layout.query = query;
    layout.document = document;
    layout.number = number;
    layout.rank = rank;
  };
  switch (input.below(6)) {
    case 0: labels ? columns(4, 0, 2, 3) : columns(6, 0, 2, 4, 3); break;
    case 1: columns(3, 0, 1, 2); break;
    case 2: columns(2, 0, 1, std::nullopt); break;
    case 3: columns(3, 1, 0, std::nullopt, 2); break;
    case 4: columns(5, 4, 2, 0, 3); break;
    default: columns(2, 1, 0, std::nullopt, 0); break;
  }
  if (labels) layout.rank.reset();
  layout.by_rank = layout.rank && (flags & 1) != 0;
  layout.more_columns = (flags & 2) != 0;
  layout.single = (flags & 4) != 0;
  layout.wanted = "some columns";
  if ((flags & 24) == 24) layout.begin = 1;  // until the end of the first line
  layout.check();
  return layout;
}

// A header ends with its line.
inline void end_header(rankmark::TextLayout& layout, std::string_view text) {
  if (layout.begin > 0) layout.begin = std::min(text.find('\n'), text.size() - 1) + 1;
}

}  // namespace fuzz
