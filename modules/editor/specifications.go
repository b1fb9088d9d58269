package editor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/format/frontend"
)

// isSpecification reports whether a document is a module of TLA+ or a configuration of TLC.
func (d *document) isSpecification() bool {
	suffix := strings.ToLower(filepath.Ext(d.path))
	return suffix == ".tla" || suffix == ".cfg"
}

// isModel reports whether a document is a model, or a file from which another program makes a model.
// Such a document has no questions.
func (d *document) isModel() bool { return isModelFile(d.path) }

// isModelFile reports whether the name of a file is that of a model, or of a file from which another program makes a model.
func isModelFile(path string) bool {
	specification := frontend.Specification{Path: path}
	return specification.IsComposed() || specification.Made() != "" ||
		slices.Contains(format.Of(path, nil).Suffixes, format.Suffix(path))
}

// asksText reports whether the questions of a document are formulas of inev, which stand in it.
func (d *document) asksText() bool {
	return !d.isManifest() && !d.isSpecification() && !d.isModel()
}

// namedProperty is a name in a configuration or module, with its range.
type namedProperty struct {
	name       string
	start, end int
	// property is the property that the name means: []name for an invariant.
	property string
}

var (
	// tlaComment is a comment of TLA+. A comment with another one inside is taken to end where
	// the inner one ends.
	tlaComment = regexp.MustCompile(`(?s)\(\*.*?\*\)|\\\*[^\n]*`)
	tlaWord    = regexp.MustCompile(`[^\s,]+`)
	// definition is the beginning of a definition without parameters, unit the beginning of any unit of a
	// module. A unit ends where the next one begins.
	definition = regexp.MustCompile(`(?m)^([A-Za-z_0-9]*[A-Za-z][A-Za-z_0-9]*)[ \t]*(?:==|≜)`)
	unitStart  = regexp.MustCompile(`(?m)^(?:[A-Za-z_0-9]+(?:\([^)\n]*\)|\[[^\]\n]*\])?[ \t]*(?:==|≜)|(?:THEOREM|LEMMA|ASSUME|ASSUMPTION|AXIOM|CONSTANTS?|VARIABLES?|RECURSIVE|INSTANCE|LOCAL)\b|-----|=====)`)
	temporal   = regexp.MustCompile(`\[\]|<>|~>|□|◇|↝`)
	// specificationOperators is in the formula of a specification, which is no property to be checked.
	specificationOperators = regexp.MustCompile(`\[\]\s*\[|□\s*\[|\b[WS]F_`)
)

// withoutComments returns a text of TLA+ with blanks in place of comments, so that all else keeps its place.
func withoutComments(text string) string {
	return tlaComment.ReplaceAllStringFunc(text, func(comment string) string {
		blank := []byte(comment)
		for i, c := range blank {
			if c != '\n' {
				blank[i] = ' '
			}
		}
		return string(blank)
	})
}

// propertiesIn returns the properties and invariants that a configuration names, and its specification.
func propertiesIn(config string) (all []namedProperty, specification string) {
	config = withoutComments(config)
	keyword := ""
	for _, at := range tlaWord.FindAllStringIndex(config, -1) {
		word := config[at[0]:at[1]]
		if isStatement[word] {
			keyword = strings.TrimSuffix(strings.TrimSuffix(word, "S"), "IE") // PROPERTIES, INVARIANTS
			continue
		}
		switch keyword {
		case "PROPERTY", "PROPERT":
			all = append(all, namedProperty{
				name:     word,
				start:    at[0],
				end:      at[1],
				property: word,
			})
		case "INVARIANT":
			all = append(all, namedProperty{
				name:     word,
				start:    at[0],
				end:      at[1],
				property: "[]" + word,
			})
		case "SPECIFICATION":
			specification = word
		}
	}
	return all, specification
}

// isStatement has the keywords that begin the statements of a configuration.
var isStatement = func() map[string]bool {
	all := map[string]bool{}
	for _, keyword := range strings.Fields("CONSTANT CONSTANTS SPECIFICATION INIT NEXT PROPERTY PROPERTIES INVARIANT INVARIANTS CONSTRAINT CONSTRAINTS " +
		"ACTION_CONSTRAINT ACTION_CONSTRAINTS SYMMETRY VIEW ALIAS CHECK_DEADLOCK POSTCONDITION POSTCONDITIONS TYPE TYPE_CONSTRAINT") {
		all[keyword] = true
	}
	return all
}()

// definedIn returns the definitions of a module that are properties: those that the configuration names, and formulas about runs.
func definedIn(module, config string) []namedProperty {
	asked, specification := propertiesIn(config)
	propertyOf := map[string]string{}
	for _, n := range asked {
		propertyOf[n.name] = n.property
	}
	module = withoutComments(module)
	begins := unitStart.FindAllStringIndex(module, -1)
	var all []namedProperty
	for _, at := range definition.FindAllStringSubmatchIndex(module, -1) {
		end := len(module)
		for _, next := range begins {
			if next[0] > at[0] {
				end = next[0]
				break
			}
		}
		n := namedProperty{name: module[at[2]:at[3]], start: at[2], end: at[3]}
		body := module[at[1]:end]
		property, isConfigured := propertyOf[n.name]
		switch {
		case n.name == specification:
			continue
		case isConfigured:
			n.property = property
		case temporal.MatchString(body) && !specificationOperators.MatchString(body):
			n.property = n.name
		default:
			continue
		}
		all = append(all, n)
	}
	return all
}

// askSpecification makes the questions of a module of TLA+ or its configuration, about the graph that TLC wrote beside them or, in a
// trusted workspace, has to write. A configuration without a module asks nothing: files of other programs have this suffix, too.
func (s *Server) askSpecification(a *questionSet) {
	module := a.doc.module()
	config := a.doc.config()
	all := a.doc.namedProperties()
	if len(all) == 0 {
		return
	}
	graph := graphOf(module)
	made := (frontend.Specification{Path: graph}).Made() != ""
	if made && !s.isTrusted() {
		if _, err := os.Stat(module); err == nil {
			a.withoutGraph = &all[0]
		}
		return
	}
	stamp := s.stampWatched(module) + "\x00" + s.stampWatched(config)
	for _, n := range all {
		if len(a.questions) >= mostQuestions {
			return
		}
		name := filepath.Base(graph)
		a.questions = append(a.questions, asked{
			start: n.start,
			end:   n.end,
			line:  a.doc.position(n.start).Line,
			job: batch.Job{
				Name:    name + ": " + n.name,
				Model:   name,
				Path:    graph,
				Formula: n.property,
			},
			tla:   module,
			stamp: stamp,
			made:  made,
		})
	}
}

// module and config return the paths of the module of TLA+ and of the configuration that belong to a document, which
// is one of both.
func (d *document) module() string { return d.stem() + ".tla" }
func (d *document) config() string { return d.stem() + ".cfg" }

func (d *document) stem() string { return strings.TrimSuffix(d.path, filepath.Ext(d.path)) }

// namedProperties returns the properties that a module or a configuration names; none if there is no module.
func (d *document) namedProperties() []namedProperty {
	if d.path == "" || stampOf(d.module()) == "" {
		return nil
	}
	if strings.EqualFold(filepath.Ext(d.path), ".cfg") {
		all, _ := propertiesIn(d.text)
		return all
	}
	return definedIn(d.text, configOf(d.config()))
}

// stampWatched returns the stamp of a file, and has the documents checked again when the file changes.
func (s *Server) stampWatched(path string) string {
	stamp := stampOf(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.manifests) >= mostManifests {
		clear(s.manifests)
	}
	s.manifests[path] = &manifestJobs{stamp: stamp}
	return stamp
}
