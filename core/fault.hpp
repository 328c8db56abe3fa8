// What the core throws when input is wrong: the place, what was found there, and what to do about it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace rankmark {

struct Message {
  std::string found, remedy;
};

// A fault that is told in words.
class TextFault : public std::exception {
 public:
  explicit TextFault(Message message) : message(std::move(message)) {}
  const char* what() const noexcept override { return message.found.c_str(); }

  Message message;
};

// A line that cannot be read. `offset` lies within the line, counted in bytes from the file's start.
class ParseFault : public TextFault {
 public:
  ParseFault(std::uint64_t offset, Message message) : TextFault(std::move(message)), offset(offset) {}

  std::uint64_t offset;
};

// One document twice for one query.
class DuplicateFault : public std::exception {
 public:
  DuplicateFault(std::string query, std::string document) : query(std::move(query)), document(std::move(document)) {}
  const char* what() const noexcept override { return "duplicate document"; }

  std::string query;
  std::string document;
};

// The file cannot be read at all: the operating system said so, or it changed while it was read.
class FileFault : public TextFault {
  using TextFault::TextFault;
};

// More rows, ids or letters than the core counts.
class LimitFault : public TextFault {
  using TextFault::TextFault;
};

// A producer of Arrow data failed, or gave something else than a table.
class StreamFault : public TextFault {
 public:
  explicit StreamFault(std::string found, std::string remedy = "make the table anew")
      : TextFault({std::move(found), std::move(remedy)}) {}
};

}  // namespace rankmark
