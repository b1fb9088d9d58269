package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// peers are the tools of others that answer the same questions.
type peers struct {
	// tools has the paths of those of mCRL2's tools that there are, by their names.
	tools   map[string]string
	version string
	// dot is Graphviz's tool, "" if it is not installed.
	dot string
}

// findPeers looks for each of mCRL2's tools, in these folders and then on PATH.
func findPeers(ctx context.Context, folders string) peers {
	p := peers{tools: map[string]string{}}
	if dot, err := exec.LookPath("dot"); err == nil {
		p.dot = dot
	}
	for _, name := range []string{"ltsinfo", "ltsconvert", "lts2pbes", "pbessolve", "mcrl22lps", "lps2lts"} {
		for _, folder := range append(filepath.SplitList(folders), "") {
			path, err := exec.LookPath(filepath.Join(folder, name))
			if err != nil {
				continue
			}
			ran, err := start(ctx, 0, nil, path, "--version")
			if err != nil {
				continue
			}
			p.tools[name] = path
			first, _, _ := strings.Cut(string(ran.out), "\n")
			p.version = strings.TrimSpace(strings.TrimPrefix(first, name))
			break
		}
	}
	return p
}

// has reports whether all of these tools are there.
func (p peers) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return p.tools[name] == "" })
}

// solves reports whether a property can be checked by them.
func (p peers) solves() bool { return p.has("lts2pbes", "pbessolve") }

// tool runs one of mCRL2's tools, and adds what it took to s. Its times follow
// each other, its peak is the largest. That a tool reaches the limit or fails, for
// want of memory as a rule, is a result like others, which s tells.
func (l *laboratory) tool(ctx context.Context, s *sample, name string, arguments ...string) ([]byte, error) {
	p, err := start(ctx, l.peerLimit, nil, l.peers.tools[name], arguments...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.Seconds += p.seconds
	s.Peak = max(s.Peak, p.peak)
	s.Stopped = p.stopped
	if s.Failed = err != nil || p.code != 0 && !p.stopped; s.Failed {
		l.tell(fmt.Sprintf("%s failed, %v: %s", name, err, p.errors))
	}
	return p.out, nil
}

// peerRead returns a row for mCRL2's reader.
func (l *laboratory) peerRead(f file) *work {
	return &work{name: "mCRL2: `ltsinfo`", run: func(ctx context.Context) (sample, error) {
		s := sample{Transitions: f.transitions}
		_, err := l.tool(ctx, &s, "ltsinfo", f.path)
		return s, err
	}}
}

// peerReduction returns a row for the first half of mCRL2's fastest route: the model is
// reduced, with everything hidden that does not concern the property. It answers nothing.
func (l *laboratory) peerReduction(f file, formula string) *work {
	return &work{name: "mCRL2: `ltsconvert` alone", once: true, run: func(ctx context.Context) (sample, error) {
		s := sample{Transitions: f.transitions, Silent: true}
		told, err := l.do(ctx, task{Do: "translate", Path: f.path, Formula: formula})
		if err != nil {
			return s, err
		}
		return s, l.reduce(ctx, &s, f, told.Texts[slices.Index(told.Texts, "")+1:], filepath.Join(l.folder, "reduced.aut"))
	}}
}

// reduce reduces a model, with these labels hidden.
func (l *laboratory) reduce(ctx context.Context, s *sample, f file, hidden []string, reduced string) error {
	_, err := l.tool(ctx, s, "ltsconvert", "-edpbranching-bisim", "--tau="+strings.Join(hidden, ","), f.path, reduced)
	return err
}

// peerVerdict returns a row for mCRL2's verdict about a property of a model, by
// the fastest route where minimise is set: the model is reduced first, with
// everything hidden that does not concern the property.
func (l *laboratory) peerVerdict(name string, f file, formula string, minimise bool) *work {
	return &work{name: name, once: true, run: func(ctx context.Context) (sample, error) {
		s := sample{Transitions: f.transitions, Bytes: f.bytes}
		told, err := l.do(ctx, task{Do: "translate", Path: f.path, Formula: formula})
		if err != nil {
			return s, err
		}
		cut := slices.Index(told.Texts, "")
		concerned, others := told.Texts[1:cut], told.Texts[cut+1:]
		actions, property := filepath.Join(l.folder, "actions.mcrl2"), filepath.Join(l.folder, "property.mcf")
		reduced, equations := filepath.Join(l.folder, "reduced.aut"), filepath.Join(l.folder, "equations.pbes")
		declared := "act " + strings.Join(slices.Concat(concerned, others), ", ") + ";\ninit delta;\n"
		if err := errors.Join(os.WriteFile(actions, []byte(declared), 0o644), os.WriteFile(property, []byte(told.Texts[0]+"\n"), 0o644)); err != nil {
			return s, err
		}
		model := f.path
		if minimise {
			model = reduced
			if err := l.reduce(ctx, &s, f, others, reduced); err != nil || !s.answered() {
				return s, err
			}
		}
		if _, err := l.tool(ctx, &s, "lts2pbes", "-m", actions, "-f", property, model, equations); err != nil || !s.answered() {
			return s, err
		}
		out, err := l.tool(ctx, &s, "pbessolve", equations)
		if err != nil || !s.answered() {
			return s, err
		}
		switch answer := string(bytes.TrimSpace(out)); answer {
		case "true":
			s.Holds = true
		case "false":
		default:
			return s, fmt.Errorf("pbessolve answers %q", answer)
		}
		return s, nil
	}}
}
