// Package editor is what editors know of properties: a server of the Language Server Protocol (LSP 3.17) for
// formulas (.inev) and manifests of batches (inev.yaml).
//
//	editor ──messages──▶ Server ──text──▶ formulas ──▶ what is wrong, hover, completion, …
//	                       └──questions──▶ Analyst: models and verdicts ──▶ diagnoses, code lenses
//
// Texts are read, and models checked, by the packages that the command is made of: an editor says the
// same as the command: a question is a job of package batch. What takes long is asked of an [Analyst], which
// may be another process: typing never waits for it.
//
// The invariant that holds inside: what an editor shows is about the text that it has sent last; a verdict is
// shown at a formula only if it is one of this very formula, on the model as it was when it was last looked at.
package editor
