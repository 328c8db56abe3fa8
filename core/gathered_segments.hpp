// Documents of interleaved queries brought together: each query's rows, in the order in which they came, held in memory
// up to a bound and beyond it in temporary files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "poll.hpp"
#include "spill_file.hpp"

namespace rankmark {

// Queries have numbers, best from 0 without gaps. A row takes 9 bytes, those of its id, and about 3 for each change of
// the query. The rows of one query are handed out together, whatever the bound: then they take about 30 bytes each more
// than their ids.
class GatheredSegments {
 public:
  // Given each query once, with its rows in the order in which they came, in any order of queries.
  using Take =
      std::function<void(std::uint32_t query, std::span<const std::string_view> ids, std::span<const double> scores)>;

  explicit GatheredSegments(std::uint64_t memory) : GatheredSegments(memory, 0) {}

  // Adds rows of one query; `id(row)` gives the id of row 0 and so on. Throws SpillFault.
  template <class IdOf>
  void add(std::uint32_t query, std::span<const double> scores, const IdOf& id) {
    for (std::size_t row = 0; row < scores.size();) {
      Partition& partition = noted(query);
      std::size_t free = partition.free(), rows = 0, bytes = kMostHeader;
      const auto room = [&] {
        rows = 0, bytes = kMostHeader;
        while (row + rows < scores.size()) {
          const std::size_t more = row_bytes(id(row + rows));
          if (bytes + more > free) break;
          bytes += more, ++rows;
        }
      };
      room();
      if (rows == 0) {
        free = begin_chunk(partition, kMostHeader + row_bytes(id(row)));
        room();
      }
      char* at = begin_record(partition, query, rows);
      for (const std::size_t end = row + rows; row < end; ++row) at = write_row(at, scores[row], id(row));
      end_record(partition, at, rows);
    }
  }

  // Hands out all queries and forgets them. Where `take` throws DuplicateFault, the one of the lowest number is thrown
  // in the end.
  void hand_out(const Take& take, const Poll& poll);

 private:
  static constexpr unsigned kDigit = 6;  // bits of a query's number that choose its partition
  static constexpr std::size_t kPartitions = std::size_t{1} << kDigit;
  static constexpr std::size_t kMostHeader = 2 * 10;  // two numbers, of 7 bits a byte

  // Whole records.
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t capacity = 0, used = 0;
  };
  struct Extent {
    std::uint64_t offset;
    std::size_t size;
  };
  struct Partition {
    std::vector<Extent> extents;  // in the file, earlier than the chunks
    std::vector<Chunk> chunks;
    std::uint64_t held = 0;  // capacity of the chunks
    std::uint64_t bytes = 0, records = 0, rows = 0;
    std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max(), highest = 0;  // queries

    std::size_t free() const noexcept { return chunks.empty() ? 0 : chunks.back().capacity - chunks.back().used; }
  };

  GatheredSegments(std::uint64_t memory, unsigned level);

  static std::size_t row_bytes(std::string_view id) noexcept;
  static char* write_row(char* at, double score, std::string_view id) noexcept;

  Partition& noted(std::uint32_t query);
  std::size_t begin_chunk(Partition& partition, std::size_t least);
  char* begin_record(Partition& partition, std::uint32_t query, std::size_t rows);
  void end_record(Partition& partition, const char* end, std::size_t rows);
  void spill_largest();

  void hand_out_all(const Take& take, Polling& polling);
  void hand_out_partition(Partition partition, const Take& take, Polling& polling);
  // A partition of one query, and one that fits into memory; others are cut by the next digit of their queries.
  void hand_out_one(const Partition& partition, const Take& take, Polling& polling);
  void hand_out_loaded(const Partition& partition, const Take& take, Polling& polling);
  void cut(const Partition& partition, GatheredSegments& parts, Polling& polling);
  bool can_be_loaded(const Partition& partition) const noexcept;
  // Calls `use(text)` with the records of a partition, some at a time.
  template <class Use>
  void each_piece(const Partition& partition, Polling& polling, const Use& use);

  unsigned level_;
  std::uint64_t memory_, held_ = 0;
  std::size_t chunk_bytes_;
  std::array<Partition, kPartitions> partitions_;
  std::vector<Chunk> spare_;  // chunks that were written to the file
  SpillFile file_;
  std::vector<char> buffer_;
};

}  // namespace rankmark
