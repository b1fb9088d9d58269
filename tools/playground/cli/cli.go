// Package cli replaces github.com/urfave/cli/v2 in the engine of the playground. It has only what
// the engine needs: the command itself orders its words and finds all mistakes in them, and a page
// shows no help, so templates, completion and the parsing of single flags would only make the
// engine larger.
//
// From the words that inev gives to the library (a command, its flags as --name or --name=value,
// --, operands) the package makes the same context as the library.
package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ActionFunc is the action of a command.
type ActionFunc func(*Context) error

// App is a program with commands.
type App struct {
	Name, Usage, Version                            string
	Writer                                          io.Writer
	HideHelp, HideVersion                           bool
	EnableBashCompletion, DisableSliceFlagSeparator bool
	Flags                                           []Flag
	Action                                          ActionFunc
	ExitErrHandler                                  func(*Context, error)
	OnUsageError                                    func(*Context, error, bool) error
	BashComplete                                    func(*Context)
	Commands                                        []*Command
}

// Command is a command of a program.
type Command struct {
	Name, Usage, UsageText, ArgsUsage, Description, Category string
	HideHelp                                                 bool
	Flags                                                    []Flag
	Action                                                   ActionFunc
}

// Command returns the command with a name, nil if there is none.
func (a *App) Command(name string) *Command {
	for _, c := range a.Commands {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// RunContext carries out a command line, which includes the name of the program. It fails as the
// command does, or if a word is no flag of the command.
func (a *App) RunContext(ctx context.Context, words []string) error {
	c := &Context{Context: ctx, App: a, Command: &Command{Flags: a.Flags}}
	action, words := a.Action, words[min(1, len(words)):]
	if len(words) > 0 {
		if command := a.Command(words[0]); command != nil {
			c.Command, action, words = command, command.Action, words[1:]
		}
	}
	if err := c.read(words); err != nil {
		return err
	}
	return action(c)
}

// Context is a command line that is carried out.
type Context struct {
	context.Context
	App     *App
	Command *Command
	values  map[string][]string // of the given flags
	args    Args
}

// read reads flags up to the word --; the words after it are the arguments. It fails at a word that is no flag of the
// command.
func (c *Context) read(words []string) error {
	c.values = map[string][]string{}
	for i, word := range words {
		if word == "--" {
			c.args = words[i+1:]
			return nil
		}
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if c.flag(name) == nil {
			return fmt.Errorf("unknown flag %s", word)
		}
		c.values[name] = append(c.values[name], value)
	}
	return nil
}

func (c *Context) flag(name string) Flag {
	for _, f := range c.Command.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// IsSet reports whether a flag is given.
func (c *Context) IsSet(name string) bool { return c.values[name] != nil }

// Bool reports whether a flag without a value is given.
func (c *Context) Bool(name string) bool { return c.IsSet(name) }

// String returns the value of a flag.
func (c *Context) String(name string) string {
	if given := c.values[name]; given != nil {
		return given[len(given)-1]
	}
	f := c.flag(name)
	if f == nil {
		return ""
	}
	// A flag may be wrapped in a flag that knows its names. Apply sets the default value.
	set := flag.NewFlagSet("", flag.ContinueOnError)
	if f.Apply(set) != nil || set.Lookup(name) == nil {
		return ""
	}
	return set.Lookup(name).DefValue
}

// StringSlice returns all values of a flag.
func (c *Context) StringSlice(name string) []string {
	// A flag may be wrapped in a flag that knows its names.
	f, is := c.flag(name).(interface{ preset() []string })
	if is && !c.IsSet(name) {
		return f.preset()
	}
	return slices.Clone(c.values[name])
}

// Args returns the operands.
func (c *Context) Args() Args { return c.args }

// NArg returns the number of operands.
func (c *Context) NArg() int { return len(c.args) }

// Args are operands.
type Args []string

// Slice returns the texts.
func (a Args) Slice() []string { return slices.Clone(a) }

// First returns the first operand, "" if there is none.
func (a Args) First() string {
	if len(a) == 0 {
		return ""
	}
	return a[0]
}
