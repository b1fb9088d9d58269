// Package mcrl2 reads the .lts files of mCRL2 (https://mcrl2.org), its default format for
// labelled transition systems, without mCRL2.
//
// A file is a stream of bits, the most significant bit of a byte first. Numbers are written in
// groups of seven bits, the lowest first. Each group takes eight bits: the top bit is set if more
// groups follow. A header of five bytes has a zero, 0x8baf and the version of the format; 0x8306
// (2020), 0x8307 (2023) and 0x8308 (2024) are read. Packets follow. The first two bits of a packet
// are its kind: a function symbol, which joins table F; a term, which joins table A; a term that is
// output; a number that is output. Terms name their symbol and arguments by indices into F and A,
// in as many bits as the sizes of the tables need. The symbol with the number 0 ends the stream.
//
// Terms that are output are, in this order: a marker; sorts, aliases, constructors,
// mappings and equations of the specification; parameters of states; actions. Then come,
// in any order, transitions (a marker, the source, a multi-action, the target), the values
// of states one by one, and the initial state.
//
// Labels are printed, text for text, as ltsconvert prints them into .aut: mCRL2's notation
// for data, with operators between their arguments and parentheses where they are needed.
//
// The invariant that holds inside: memory is allocated for content that was read, never because of
// a number in the file; a term names only terms before it; and nothing recurses, so that a term of
// any depth can be read and printed.
package mcrl2
