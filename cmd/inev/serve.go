//go:build !js

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/options"
	webpage "github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/report/page/serve"
)

// defaultIdle is the time without requests after which a server ends. An open page sends a
// request every minute.
const defaultIdle = 10 * time.Minute

// serveCommand returns inev serve, which answers the questions of a page from the whole model.
func serveCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "serve the page of a model that is too large for explain --html",
		ArgsUsage: "MODEL FORMULA",
		Description: `The page of inev explain --html contains only a part of a large model. This command
serves the same page on a port of this machine, and answers its questions from the
whole model: the transitions of a state, a run to a state, why an action does not
happen.

The address, which goes to standard output, contains a secret: nobody without it, and
nobody on another machine, can see the model. Ctrl-C ends the server; it also ends some
time after the page was closed (--idle).

With --playground, and without MODEL and FORMULA, it serves inev itself: a page on which
the reader chooses models and properties, and which computes everything in the browser.`,
		Flags: slices.Concat([]cli.Flag{
			unset(value(resultFlags, "port", "listen on port `N` of 127.0.0.1"),
				"any free one"),
			unset(value(resultFlags, "idle", "end when the page has been closed for `DURATION`"), "10m"), toggle(resultFlags, playgroundFlag, "serve inev itself, for models and properties that the reader chooses; without MODEL and FORMULA"), engineFolder(resultFlags),
			lanes(), specificationFlag(),
		}, bothInput(), whichRun(), []cli.Flag{
			option(methodFlags, options.Neighbourhood), engine(),
		}, fairness(), modelRun()),
		Action: action(p, serveModel),
	},
		`inev serve m.aut 'Inev(REQ, ACK)'`,
		`inev serve m.aut 'Inev(REQ, ACK)' --fair full`)
}

// server answers the requests of a page.
type server interface {
	URL() string
	Close() error
	Run(ctx context.Context, idle time.Duration) error
}

// serveModel carries out inev serve. It prints the address as soon as the page can be opened, and returns when
// nobody has asked for a while.
func serveModel(j *job) error {
	port, err := j.wholeNumber("port", 1, 65535, "is not a port: a number from 1 to 65535")
	if err != nil {
		return err
	}
	duration, err := j.duration("idle", "30m or 1h")
	if err != nil {
		return err
	}
	idle := cmp.Or(duration, defaultIdle) // how long the server runs without a request
	serving := servePage
	if j.c.Bool(playgroundFlag) {
		serving = servePlayground
	}
	s, err := serving(j, port)
	if err != nil {
		return err
	}
	j.unwatch()
	fmt.Fprintln(j.stdout, s.URL())
	if err := j.stdout.finish(); err != nil {
		s.Close()
		return err
	}
	if err := s.Run(j.ctx, idle); err != nil {
		return err
	}
	j.note(fmt.Sprintf("no request for %v: the server has ended", idle))
	return nil
}

// servePlayground serves the folder of the engine for browsers.
func servePlayground(j *job, port int) (server, error) {
	files, err := engineFiles(j)
	if err != nil {
		return nil, err
	}
	s, err := serve.NewFolder(files, port)
	if err != nil {
		return nil, notListening(port, err)
	}
	return s, nil
}

// servePage explains the property, and serves the page.
func servePage(j *job, port int) (server, error) {
	lanes, err := j.readLanes()
	if err != nil {
		return nil, err
	}
	j.lanes = lanes
	e, err := j.explained()
	if err != nil {
		return nil, err
	}
	j.noteOnLanes(e)
	tour, err := j.tour(e)
	if err != nil {
		return nil, err
	}
	engine := graphviz.New(view.MaxStops, wording.CompiledFolder())
	defer engine.Close()
	written, err := webpage.New(j.ctx, engine, e, tour, webpage.Options{
		Command: j.line,
		Version: version(),
		Served:  true,
	})
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := written.Write(j.ctx, &text); err != nil {
		return nil, err
	}
	s, err := serve.New(e, text.Bytes(), port)
	if err != nil {
		return nil, notListening(port, err)
	}
	return s, nil
}

func notListening(port int, err error) error {
	return fmt.Errorf("cannot listen on port %d of 127.0.0.1: %w", port, err)
}

// engineFiles returns the folder with inev for browsers: the folder of --engine-dir or, without
// that flag, the built-in one.
func engineFiles(j *job) (fs.FS, error) {
	const build = "go -C tools run ./playground -o FOLDER in the source of inev builds it"
	folder := j.flag(engineFolderFlag)
	if folder == "" {
		if carried == nil {
			return nil, errors.New("this inev does not carry the engine for browsers: name its folder by --engine-dir; " + build)
		}
		return carried, nil
	}
	files := os.DirFS(folder)
	for _, name := range []string{
		"index.html",
		"engine.wasm.gz",
		"graphviz.wasm.gz",
		"worker.js",
		"playground.js",
		"asking.html",
		"asking.css",
	} {
		if _, err := fs.Stat(files, name); err != nil {
			return nil, fmt.Errorf("--engine-dir %s: there is no %s in it; %s", folder, name,
				build)
		}
	}
	return files, nil
}
