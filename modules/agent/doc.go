// Package agent offers inev to programs that call tools: a server of the Model Context Protocol, by
// the official Go SDK.
//
//	client ──call──▶ Server: question ──▶ roots: copies of the models ──▶ inev: a process ──▶ result
//
// Each call runs the command inev in a process of its own: so it has a budget of its own, can be
// stopped at any time, and returns the text and JSON of the command.
//
// No byte of a file outside the roots is read, no text of a call or of a model becomes a flag, and
// text about a model stands in quoted lines of at most [MostText] bytes.
package agent
