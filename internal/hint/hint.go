// Package hint lets errors name remedies without knowing their readers: the same remedy is an
// option for a program and a flag for a person. An error names its remedies as values, and the code
// that shows the error puts them into words. The error's own text is for programs.
package hint

import (
	"errors"
	"fmt"
	"strings"
)

// Remedy is a change by the caller that may avoid an error.
type Remedy uint8

// The remedies. Beside each is the sentence in which it is used.
const (
	Lenient       Remedy = iota + 1 // read the file … although its header is wrong
	SkipInternal                    // …, so that a given run may leave internal actions out
	NotUnfolded                     // …, so that the model itself is analysed
	WholeRun                        // …, and not its abstraction
	MoreMemory                      // make the specification smaller, or …
	MoreTime                        // allow it more time …
	Unmatched                       // … takes an unmatched step as one that never happens
	Resume                          // run the batch again …, so that it continues
	Begin                           // the folder holds results already; …
	InFolder                        // run the batch again … FOLDER
	AnotherFolder                   // choose another folder…
	Automaton                       // … instead of a formula
	Parts                           // … matches a multi-action that the action is a part of
	Config                          // name another configuration of TLC, …
	Excerpt                         // the picture is too crowded: …
)

var words = [...]string{
	Lenient:       "leniently",
	SkipInternal:  "skip these",
	NotUnfolded:   "do not unfold it",
	WholeRun:      "give the sequence of the whole run",
	MoreMemory:    "allow more memory",
	MoreTime:      "by its timeout",
	Unmatched:     "AllowUnmatched",
	Resume:        "to go on",
	Begin:         "go on with them, replace them, or choose another folder",
	InFolder:      "in",
	AnotherFolder: "",
	Automaton:     "give an automaton that another tool made",
	Parts:         "counting parts",
	Config:        "name another configuration",
	Excerpt:       "choose the excerpt",
}

// String returns the words for programs.
func (r Remedy) String() string {
	if int(r) < len(words) {
		return words[r]
	}
	return fmt.Sprintf("remedy %d", uint8(r))
}

// Error is an error whose text names remedies.
type Error struct {
	parts []any
	cause error
}

// New returns an error whose text consists of these parts, texts and remedies. It
// wraps the cause, which may be nil; the text mentions the cause only if it is
// one of the parts.
func New(cause error, parts ...any) *Error { return &Error{parts, cause} }

// Error returns the text for programs.
func (e *Error) Error() string { return e.say(Remedy.String) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) say(words func(Remedy) string) string {
	var b strings.Builder
	for _, part := range e.parts {
		if r, is := part.(Remedy); is {
			b.WriteString(words(r))
		} else {
			fmt.Fprint(&b, part)
		}
	}
	return b.String()
}

// Say returns the text of an error; words returns the words for each remedy that the error, or an
// error wrapped in it, names. Cost O(length of the text times the number of errors wrapped).
func Say(err error, words func(Remedy) string) string {
	text := err.Error()
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			break
		}
		text = strings.Replace(text, e.Error(), e.say(words), 1)
		err = e.cause
	}
	return text
}
