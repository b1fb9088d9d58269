// Package sequence reads counterexamples that other tools wrote, as given traces that
// package counterexample matches with a model.
//
// It reads four formats, which it distinguishes by the content or, if this does not decide, by the
// name of the file:
//
//   - SEQ, CADP's format for execution sequences, in its simple form: one "label"
//     a line, <deadlock> on the last line of a sequence that ends in one, and a
//     line [] between several sequences. What lies between the characters 1 and 2
//     is a comment, and so is every line that begins with a letter, a digit or any
//     other character than [ ( < " ~. SEQ cannot express a loop: the comment by
//     which package report marks the beginning of one is understood;
//   - behaviours of TLA+, whose states have values: JSON of TLC and Apalache, the console of
//     TLC, and the modules that it writes; only a model with such values makes a sequence of them;
//   - the plain form of mCRL2's traces (.trc): one action a line;
//   - .aut: a path, a lasso, or any larger graph that holds the counterexample,
//     as CADP's EVALUATOR and mCRL2's pbessolve give. It is read leniently, since
//     tools write the state numbers of the model, and wrong counts with them.
//
// All of them may be compressed by gzip, zstd or bzip2.
//
// The invariant that holds inside: labels are bytes and kept as they are, less the blanks that a
// format does not count; a question that a file leaves open, such as how a sequence continues,
// stays open in the given trace.
package sequence
