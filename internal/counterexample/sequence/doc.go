// Package sequence reads counterexamples that other tools wrote, as given traces that package
// counterexample matches with a model.
//
// It reads four formats, which it distinguishes by the content or, if this does not decide, by the
// name of the file:
//
//   - SEQ, CADP's format for execution sequences, in its simple form: one "label"
//     a line, <deadlock> on the last line of a sequence that ends in a deadlock, and
//     a line [] between several sequences. Text between the characters 1 and 2
//     is a comment, and so is every line that begins with a letter, a digit or any
//     other character than [ ( < " ~. SEQ cannot express a loop: package report marks
//     the beginning of a loop by a comment, which is understood here;
//   - behaviours of TLA+, whose states have values: JSON of TLC and Apalache, the console of
//     TLC, and the modules that it writes. Only with a model that has such values can they
//     become sequences;
//   - the plain form of mCRL2's traces (.trc): one action a line;
//   - .aut: a path, a lasso, or any larger graph that contains the counterexample,
//     as CADP's EVALUATOR and mCRL2's pbessolve write it. It is read leniently, since
//     tools use the state numbers of the model, and write wrong counts.
//
// All of them may be compressed by gzip, zstd or bzip2.
//
// Labels are bytes and kept as they are, except for the blanks that a format ignores. If a file
// leaves a question open, such as how a sequence continues, the given trace leaves it open, too.
package sequence
