// Package wording has the texts that inev and inev-cluster share, so that the results of both
// are the same bytes: the flags that remedy an error, the command that makes the page of a job,
// the summary of a batch for a terminal, the version, and the folder of compiled files.
package wording

import "github.com/inev-lts/inev/internal/remedy"

// Text returns the text of an error, with its remedy in terms of flags.
func Text(err error) string { return remedy.Say(err, flag) }

// flag puts a remedy of an error into words, in terms of flags.
func flag(r remedy.Remedy) string {
	switch r {
	case remedy.Lenient:
		return "with --lenient"
	case remedy.SkipInternal:
		return "use --skip-internal"
	case remedy.NotUnfolded:
		return "leave --unfold out"
	case remedy.WholeRun:
		return "give the sequence that --trace writes, not --abstracted"
	case remedy.MoreMemory:
		return "raise --memory (none: try all the same)"
	case remedy.MoreTime:
		return "by timeout in the manifest or by --timeout"
	case remedy.Unmatched:
		return "allow_unmatched: true, or --allow-unmatched,"
	case remedy.Config:
		return "name another one by --cfg FILE"
	case remedy.Parts:
		return "parts: true, or --parts,"
	case remedy.Resume:
		return "with --resume"
	case remedy.Begin:
		return "go on with them by --resume, start afresh by --force, or choose another folder with -o"
	case remedy.InFolder:
		return "-o"
	case remedy.Automaton:
		return "give one that another tool made, with --hoa"
	case remedy.AnotherFolder:
		return " with -o"
	}
	return r.String()
}
