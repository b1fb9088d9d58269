// Package editor is a server of the Language Server Protocol (LSP 3.17) for formulas (.inev) and
// manifests of batches (inev.yaml).
//
//	editor ──messages──▶ Server ──text──▶ formulas ──▶ what is wrong, hover, completion, …
//	                       └──questions──▶ Analyst: models and verdicts ──▶ diagnoses, code lenses
//
// The packages of the command read texts and check models, so that an editor shows the same as the
// command; a question is a job of package batch. An [Analyst], which may be another process, does
// what takes long, so that typing never waits.
//
// What an editor shows is about the text that it has sent last. A verdict next to a formula is
// about this very formula, and about the model as it was last read.
package editor
