// Package aut reads and writes labelled transition systems in the .aut
// (Aldebaran) format, plain or compressed.
//
// A file is a header line and one line a transition:
//
//	des (initial, transitions, states)
//	(from, label, to)
//
// Blanks and tabs between tokens and blank lines mean nothing; a line ends in
// LF or CR LF, and the last one may end with the file. A quoted label reaches
// from its first quote to the last quote before the final comma of the line: a
// backslash escapes nothing, and quotes, commas and parentheses inside are
// ordinary characters. An unquoted label is what lies between the first comma
// and the final one, less the blanks around it. Labels are bytes: whatever
// encoding they are in is kept.
//
// The package reads what CADP, mCRL2, LTSmin and CLEAR write. By default it
// believes a file only where the header and the transitions agree, because a
// truncated download looks like a wrong header; [Options] can say otherwise.
//
// The invariant that holds inside: a worker sees blocks of whole lines, one line
// is understood without its neighbours, blocks are taken over in the order of
// the file, whoever has read them, and memory is given out for what has been
// read, never for what a header promises.
package aut
