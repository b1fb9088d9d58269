package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readYAML reads a manifest in YAML. It walks through the nodes, which know their
// lines, where a decoder would stop at the first mistake.
func (r *reader) readYAML(text []byte) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return // no job
	case err != nil:
		r.addYAML(err)
		return
	}
	if err := decoder.Decode(&second); err == nil {
		r.add(r.at(&second), "a second document begins here; a manifest is one")
	} else if !errors.Is(err, io.EOF) {
		r.addYAML(err)
		return
	}
	defaults := map[string]field{}
	var entries []entry
	root := value(document.Content[0])
	if root.Kind != yaml.MappingNode {
		r.add(r.at(root), "expected the fields defaults and jobs, found %s; write jobs: before the list", described(root))
		return
	}
	r.eachField(root, func(name string, key, item *yaml.Node) {
		switch name {
		case "defaults":
			defaults = r.readDefaults(item)
		case "jobs":
			entries = r.readEntries(item)
		default:
			hint := meant(name, []string{"defaults", "jobs"})
			if hint == "" {
				hint = " a manifest has the fields defaults and jobs"
			}
			r.add(r.at(key), "unknown field %q;%s", name, hint)
		}
	})
	for _, e := range entries {
		if r.ctx.Err() != nil {
			return
		}
		r.expand(e.with(defaults))
	}
}

// addYAML notes what the parser found wrong.
func (r *reader) addYAML(err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if n, _ := fmt.Sscanf(message, "line %d:", &line); n == 1 {
		_, message, _ = strings.Cut(message, ": ")
	}
	message, _, _ = strings.Cut(message, "\n")
	r.add(Place{r.file, line}, "this is no YAML: %s; quote texts that hold : # or begin with a special character", message)
}

func (r *reader) at(n *yaml.Node) Place { return Place{r.file, n.Line} }

// value returns the node that an alias stands for. An alias cannot stand for
// another: the parser has seen to that.
func value(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func described(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// eachField calls do for each field of a mapping, and notes those that come twice.
func (r *reader) eachField(mapping *yaml.Node, do func(name string, key, item *yaml.Node)) {
	lines := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, item := mapping.Content[i], value(mapping.Content[i+1])
		name := key.Value
		if key.Kind != yaml.ScalarNode {
			r.add(r.at(key), "expected the name of a field, found %s", described(value(key)))
			continue
		}
		if first, twice := lines[name]; twice {
			r.add(r.at(key), "field %s is given twice, on line %d first; leave one out", name, first)
			continue
		}
		lines[name] = key.Line
		do(name, key, item)
	}
}

func (r *reader) readDefaults(n *yaml.Node) map[string]field {
	e, ok := r.readEntry(n)
	if !ok {
		return nil
	}
	if f, said := e.fields["name"]; said {
		r.add(f.where, "name is no default, for names are unique; leave it out")
		delete(e.fields, "name")
	}
	return e.fields
}

func (r *reader) readEntries(n *yaml.Node) []entry {
	if n.Kind != yaml.SequenceNode {
		r.add(r.at(n), "jobs: expected a list, found %s; begin each job with a dash", described(n))
		return nil
	}
	var entries []entry
	for _, item := range n.Content {
		e, ok := r.readEntry(value(item))
		if ok {
			e.where = r.at(item)
			entries = append(entries, e)
		}
	}
	return entries
}

func (r *reader) readEntry(n *yaml.Node) (e entry, ok bool) {
	if n.Kind != yaml.MappingNode {
		r.add(r.at(n), "expected fields such as model and formula, found %s", described(n))
		return e, false
	}
	e = entry{r.at(n), map[string]field{}}
	r.eachField(n, func(written string, key, item *yaml.Node) {
		name, known := fieldOf(written)
		if !known {
			r.unknownField(r.at(key), written)
			return
		}
		e.fields[name] = r.readField(name, key, item)
	})
	return e, true
}

// readField reads a text, or for tags and fair also a list of texts.
func (r *reader) readField(name string, key, item *yaml.Node) field {
	f := field{where: r.at(key)}
	switch {
	case item.Kind == yaml.SequenceNode && (name == "tags" || name == "fair"):
		f.list = []string{}
		for _, text := range item.Content {
			if text = value(text); text.Kind != yaml.ScalarNode {
				r.add(r.at(text), "%s: expected %s, found %s", name, map[string]string{"tags": "a word", "fair": "an assumption"}[name], described(text))
				continue
			}
			f.list, f.places = append(f.list, text.Value), append(f.places, r.at(text))
		}
	case item.Kind == yaml.MappingNode && name == "faults":
		f.list = []string{}
		r.eachField(item, func(pattern string, at, number *yaml.Node) {
			f.list, f.places = append(f.list, pattern+": "+number.Value), append(f.places, r.at(at))
		})
	case item.Kind != yaml.ScalarNode:
		r.add(f.where, "%s: expected a text, found %s", name, described(item))
		f.wrong = true
	case item.Value == "" || item.ShortTag() == "!!null":
		r.add(f.where, "%s is empty; give it a value, or leave it out", name)
		f.wrong = true
	default:
		f.text = item.Value
	}
	return f
}
