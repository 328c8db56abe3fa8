// A run as text, read into a target: once, and a second time for queries that came back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "blocks.hpp"
#include "fault.hpp"
#include "gathered_segments.hpp"
#include "ids.hpp"
#include "layout.hpp"
#include "line_segments.hpp"
#include "run_segments.hpp"

namespace rankmark {

struct SegmentsRead {
  FileCounts counts;
  std::int64_t interleaved = 0;  // queries that came back after another query
};

// Reads a file again and gathers the rows of some queries: `number(id, hash)` gives the number of a query, or kAbsent,
// for each segment in the order of the file.
template <class Number>
FileCounts gather_rows(const File& file, const TextLayout& layout, const ReadOptions& options, const IdTable& queries,
                       GatheredSegments& gathered, const Number& number) {
  constexpr std::size_t kAhead = 8;
  FileCounts counts;
  read_blocks(
      file, options, [&] { return BlockRowsParser(layout); },
      [&](BlockRows&& part) {
        counts.add(part.counts);
        const TextIds ids = part.rows.ids_in(part.text.data());
        std::size_t row = 0;
        for (std::size_t i = 0; i < part.segments.size(); ++i) {
          if (i + kAhead < part.segments.size()) queries.expect(part.segments[i + kAhead].hash);
          const auto& [place, hash, end] = part.segments[i];
          const std::uint32_t query = number(place.in(ids.text), hash);
          if (query != IdTable::kAbsent) {
            gathered.add(query, part.rows.numbers().subspan(row, end - row),
                         [&](std::size_t at) { return ids[row + at]; });
          }
          row = end;
        }
      });
  return counts;
}

// Second reading: all rows of the queries that came back, each query's put together.
template <RunTarget Target>
void read_interleaved(const File& file, const TextLayout& layout, const ReadOptions& options,
                      RunMerger<Target>& merger) {
  const IdTable& wanted = merger.interleaved();
  GatheredSegments gathered(options.memory);
  gather_rows(file, layout, options, wanted, gathered,
              [&](std::string_view id, std::uint64_t hash) { return wanted.find(id, hash); });
  std::uint32_t found = 0;
  gathered.hand_out(
      [&](std::uint32_t query, std::span<const std::string_view> ids, std::span<const double> scores) {
        ++found;
        merger.replace(wanted[query], ids, scores);
      },
      options.poll);
  if (found < wanted.size()) {
    throw FileFault({"it changed while it was read", "evaluate it when nothing writes to it"});
  }
}

// The only reading that counts where most queries come back: all rows, put together by query.
template <RunTarget Target>
SegmentsRead read_mostly_interleaved(const File& file, const TextLayout& layout, Target& target,
                                     const ReadOptions& options) {
  RunMerger<Target> merger(target, layout.order().has_value(), false);
  GatheredSegments gathered(options.memory);
  IdTable queries;
  std::vector<bool> returned;
  std::uint32_t last = IdTable::kAbsent;
  SegmentsRead read;
  read.counts = gather_rows(file, layout, options, queries, gathered, [&](std::string_view id, std::uint64_t hash) {
    const std::uint32_t query = queries.find_or_add(id, hash);
    if (query == returned.size()) {
      returned.push_back(false);
      target.expect(id);
    } else if (query != last && !returned[query]) {
      returned[query] = true;
      ++read.interleaved;
    }
    return last = query;
  });
  gathered.hand_out([&](std::uint32_t query, std::span<const std::string_view> ids,
                        std::span<const double> scores) { merger.replace(queries[query], ids, scores); },
                    options.poll);
  return read;
}

// Reads a run into a target. A query's documents are forgotten once it ends; queries that come back
// later are read again, together, at the end.
template <RunTarget Target>
SegmentsRead read_segments(const File& file, const TextLayout& layout, Target& target, const ReadOptions& options) {
  RunMerger<Target> merger(target, layout.order().has_value(), true);
  try {
    read_blocks(file, options, [&] { return RunParser<Target>(layout, target); }, std::ref(merger));
    merger.close();
  } catch (const MostlyInterleaved&) {
    return read_mostly_interleaved(file, layout, target, options);
  }
  if (merger.interleaved().size() > 0) read_interleaved(file, layout, options, merger);
  return {merger.counts(), merger.interleaved().size()};
}

}  // namespace rankmark
