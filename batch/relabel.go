package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/format/relabel"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/lts"
)

// relabellingField is a field with rules that change the labels of the model.
type relabellingField struct {
	name options.Name
	kind relabel.Kind
	text string
}

// relabelling returns the fields with rules, in the order in which rules are applied.
func (o *Options) relabelling() []relabellingField {
	return []relabellingField{
		{name: options.Cut, kind: relabel.Cut, text: o.Cut},
		{name: options.HideLabels, kind: relabel.Hide, text: o.HideLabels},
		{name: options.Rename, kind: relabel.Rename, text: o.Rename},
	}
}

// ChangesLabels identifies the rules that change the labels of the job's model before all else; ""
// if there are none. Two jobs with the same file have equal models if this text is the same. Cost
// O(length of the rules' names).
func (j *Job) ChangesLabels() string {
	if j.Options.Cut == "" && j.Options.HideLabels == "" && j.Options.Rename == "" {
		return ""
	}
	digests := map[string]string{}
	for name, f := range j.Rules {
		digests[name] = f.Digest
	}
	o := j.Options
	text, err := json.Marshal([]any{o.Cut, o.HideLabels, o.Rename, digests})
	if err != nil {
		panic(err) // texts can be written always
	}
	return string(text)
}

// readRelabelling reads the fields with rules: a file is relative to the manifest.
func (r *reader) readRelabelling(e entry, job *Job) {
	for _, field := range job.Options.relabelling() {
		f := e.fields[string(field.name)]
		if field.text == "" || f.wrong {
			continue
		}
		argument := field.kind.Split(field.text, func(path string) bool {
			return isRegular(r.pathOf(path))
		})
		if argument.File != "" {
			file := r.smallFile(f.where, string(field.name), argument.File)
			if file == nil {
				continue
			}
			if job.Rules == nil {
				job.Rules = map[string]*File{}
			}
			job.Rules[string(field.name)] = file
		}
		_, err := job.rules(r.ctx, field)
		switch {
		case err == nil || r.ctx.Err() != nil:
		case argument.File != "":
			r.refuseEntry(Mistake{
				Where:   f.where,
				Message: string(field.name) + ": " + err.Error(),
			})
		default:
			r.addError(f.where, string(field.name), err)
		}
	}
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// rules reads the rules of a field. It fails if their file has changed since the manifest was read.
func (j *Job) rules(ctx context.Context, field relabellingField) (*relabel.Rules, error) {
	file := j.Rules[string(field.name)]
	if file == nil {
		return relabel.ParseText(ctx, field.kind, field.text)
	}
	content, err := file.content(ctx, "the rules have")
	if err != nil {
		return nil, err
	}
	argument := field.kind.Split(field.text, func(path string) bool {
		return path == file.File
	})
	return relabel.ParseFile(field.kind, file.File, content, argument.How)
}

// changes reads all rules of the job.
func (j *Job) changes(ctx context.Context) (c relabel.Changes, err error) {
	for _, field := range j.Options.relabelling() {
		if field.text == "" {
			continue
		}
		rules, err := j.rules(ctx, field)
		if err != nil {
			return relabel.Changes{}, err
		}
		c.Set(rules)
	}
	return c, nil
}

// ChangedModel changes the labels of the job's model, see [format.Options]; the warnings name rules
// that match no label, and count what was cut.
func (j *Job) ChangedModel(
	ctx context.Context,
	m *lts.LTS,
	isMCRL2 bool,
) (*lts.LTS, []string, error) {
	c, err := j.changes(ctx)
	if err != nil {
		return nil, nil, err
	}
	if c.IsEmpty() {
		return m, nil, nil
	}
	changed, err := c.Apply(ctx, m, relabel.HiddenLabel(m.Alphabet(), isMCRL2))
	if err != nil {
		return nil, nil, err
	}
	var warnings []string
	for _, u := range changed.Unmatched {
		warnings = append(warnings,
			fmt.Sprintf("%s: %s: %s", j.Model, ruleField(u.Kind), u.Sentence()))
	}
	note := changed.Note()
	if note != "" {
		warnings = append(warnings, j.Model+": "+note)
	}
	return changed.LTS, warnings, nil
}

// ruleField returns the name of the field with rules of a kind.
func ruleField(kind relabel.Kind) options.Name {
	fields := new(Options).relabelling()
	i := slices.IndexFunc(fields, func(f relabellingField) bool {
		return f.kind == kind
	})
	return fields[i].name
}

// withRules returns the options with the paths by which files of rules are opened in place of their
// names.
func (j *Job) withRules(o Options) Options {
	for _, field := range o.relabelling() {
		file := j.Rules[string(field.name)]
		if file == nil {
			continue
		}
		text := strings.TrimSuffix(field.text, file.File) + file.Path
		switch field.kind {
		case relabel.Cut:
			o.Cut = text
		case relabel.Hide:
			o.HideLabels = text
		default:
			o.Rename = text
		}
	}
	return o
}
