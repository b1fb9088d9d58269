package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/inev-lts/inev/internal/options"
)

// readYAML reads a manifest in YAML. It walks the nodes, which know their lines: a decoder
// would stop at the first mistake.
func (r *reader) readYAML(text []byte) {
	root := r.parseYAML(text)
	if root == nil {
		return
	}
	if root.Kind != yaml.MappingNode {
		r.add(r.at(root),
			"expected the fields defaults and jobs, found %s; write jobs: before the list", described(root))
		return
	}
	defaults := map[string]field{}
	var entries []entry
	r.eachField(root, func(name string, key, item *yaml.Node) {
		switch name {
		case "defaults":
			if e, ok := r.readEntry(item); ok {
				defaults = r.asDefaults(e)
			}
		case "jobs":
			entries = append(entries, r.readJobs(item)...)
		default:
			r.addUnknown(unknownName{
				where:      r.at(key),
				text:       name,
				normalised: name,
				names:      []string{"defaults", "jobs"},
				remedy:     "a manifest has the fields defaults and jobs",
			})
		}
	})
	for _, e := range entries {
		if r.ctx.Err() != nil {
			return
		}
		r.addJobsOf(e.withDefaults(defaults))
	}
}

// parseYAML returns the content of the first document; nil if there is none. A second document, and a text
// that is not YAML, are mistakes.
func (r *reader) parseYAML(text []byte) *yaml.Node {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil // no job
	}
	if err != nil {
		r.addYAML(err)
		return nil
	}
	var second yaml.Node
	err = decoder.Decode(&second)
	switch {
	case err == nil:
		r.add(r.at(&second), "a second document begins here; a manifest is one")
	case !errors.Is(err, io.EOF):
		r.addYAML(err)
		return nil
	}
	return withoutAlias(document.Content[0])
}

// asDefaults returns the fields of an entry that are defaults. It refuses a name, since the names of
// jobs are unique.
func (r *reader) asDefaults(e entry) map[string]field {
	if f, isGiven := e.fields["name"]; isGiven {
		r.add(f.where, "name cannot be a default, because names are unique; leave it out")
		delete(e.fields, "name")
	}
	return e.fields
}

// readJobs reads the list of entries.
func (r *reader) readJobs(list *yaml.Node) []entry {
	if list.Kind != yaml.SequenceNode {
		r.add(r.at(list), "jobs: expected a list, found %s; begin each job with a dash",
			described(list))
		return nil
	}
	var entries []entry
	for _, item := range list.Content {
		if e, ok := r.readEntry(withoutAlias(item)); ok {
			e.where = r.at(item)
			entries = append(entries, e)
		}
	}
	return entries
}

// withDefaults returns the entry with the defaults for fields that it lacks.
func (e entry) withDefaults(defaults map[string]field) entry {
	merged := map[string]field{}
	maps.Copy(merged, defaults)
	for name, f := range e.fields {
		if name == "tags" {
			f.list = slices.Concat(words(merged[name]), words(f))
		}
		merged[name] = f
	}
	// An entry that gives the property by one field overrides a default that gives it by another.
	isInEntry := func(name string) bool {
		_, isGiven := e.fields[name]
		return isGiven
	}
	if slices.ContainsFunc(propertyFields, isInEntry) {
		for _, name := range propertyFields {
			if !isInEntry(name) {
				delete(merged, name)
			}
		}
	}
	return entry{where: e.where, fields: merged}
}

// addYAML adds an error of the parser of YAML as a mistake. The parser writes "yaml: line 3: …", or several
// such errors on lines of their own, of which the first is enough.
func (r *reader) addYAML(err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	_, noLine := fmt.Sscanf(message, "line %d:", &line)
	if noLine == nil {
		_, message, _ = strings.Cut(message, ": ")
	}
	message, _, _ = strings.Cut(message, "\n")
	r.add(Position{r.file, line},
		"this is not YAML: %s; quote texts that hold : # or begin with a special character", message)
}

func (r *reader) at(n *yaml.Node) Position { return Position{r.file, n.Line} }

// withoutAlias returns the node to which an alias refers, and any other node itself. The parser has
// refused an alias of an alias.
func withoutAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// described returns what a node is, for messages.
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

// eachField calls do for each field of a mapping, and adds a mistake for a repeated one.
func (r *reader) eachField(mapping *yaml.Node, do func(name string, key, item *yaml.Node)) {
	lines := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		item := withoutAlias(mapping.Content[i+1])
		name := key.Value
		if key.Kind != yaml.ScalarNode {
			r.add(r.at(key), "expected the name of a field, found %s", described(withoutAlias(key)))
			continue
		}
		if first, twice := lines[name]; twice {
			r.add(r.at(key), "field %s is given twice, on line %d first; leave one out", name,
				first)
			continue
		}
		lines[name] = key.Line
		do(name, key, item)
	}
}

// readEntry reads the fields of an entry; ok is false if the node is no mapping.
func (r *reader) readEntry(n *yaml.Node) (e entry, ok bool) {
	if n.Kind != yaml.MappingNode {
		r.add(r.at(n), "expected fields such as model and formula, found %s", described(n))
		return entry{}, false
	}
	e = entry{where: r.at(n), fields: map[string]field{}}
	r.eachField(n, func(written string, key, item *yaml.Node) {
		name, known := fieldOf(written)
		if !known {
			meant := r.unknownField(r.at(key), written)
			_, isGiven := e.fields[meant]
			isRequired := meant == "model" || slices.Contains(propertyFields, meant)
			if isRequired && !isGiven {
				// The field is misspelt, but not missing.
				e.fields[meant] = field{where: r.at(key), wrong: true}
			}
			return
		}
		e.fields[name] = r.readField(name, key, item)
	})
	return e, true
}

// readField reads the value of a field, which is a text; the values of some fields may also be lists of
// texts, or patterns with numbers.
func (r *reader) readField(name string, key, item *yaml.Node) field {
	f := field{where: r.at(key)}
	ofItem, mayBeList := listFields[name]
	switch {
	case item.Kind == yaml.SequenceNode && mayBeList:
		f.list = []string{}
		for _, text := range item.Content {
			text = withoutAlias(text)
			if text.Kind != yaml.ScalarNode {
				r.add(r.at(text), "%s: expected %s, found %s", name, ofItem, described(text))
				continue
			}
			f.list = append(f.list, text.Value)
			f.places = append(f.places, r.at(text))
		}
	case item.Kind == yaml.MappingNode && name == "faults":
		f.list = []string{}
		r.eachField(item, func(pattern string, key, number *yaml.Node) {
			f.list = append(f.list, pattern+": "+number.Value)
			f.places = append(f.places, r.at(key))
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

// listFields are the fields that may be lists, with the noun for an item.
var listFields = map[string]string{
	"tags":                         "a word",
	"fair":                         "an assumption",
	"source":                       "a file or folder",
	string(options.FrontEndOption): "an option",
}
