package pagetest

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

type edge struct {
	from  lts.State
	label string
	to    lts.State
}

func modelOf(t testing.TB, states int, edges []edge) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, e := range edges {
		b.Add(e.from, b.Label(e.label), e.to)
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// inside is the Graphviz of all tests, which ends with them.
var inside = graphviz.New(100, "")

// written returns a page with the pictures of package diagram.
func written(t testing.TB, e *explain.Explanation, o page.Options) string {
	t.Helper()
	return surrounded(t, e, 0, o)
}

// surrounded returns a page with so many bytes of surroundings.
func surrounded(t testing.TB, e *explain.Explanation, maxSurroundings int64, o page.Options) string {
	t.Helper()
	ctx := context.Background()
	tour, err := view.NewTour(ctx, e, maxSurroundings)
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.New(ctx, inside, e, tour, o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Write(ctx, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// withoutPictures returns a page without any, which is made in no time: no layout is
// as fast as it would have to be.
func withoutPictures(t testing.TB, e *explain.Explanation, o page.Options) string {
	t.Helper()
	o.Diagram = draw.Options{Limit: time.Nanosecond}
	return written(t, e, o)
}

// pages are those that several tests look at, each made once.
var pages sync.Map

// pageAbout returns a page that other tests may look at as well.
func pageAbout(t testing.TB, explanation func(testing.TB) *explain.Explanation) string {
	t.Helper()
	made, _ := pages.LoadOrStore(reflect.ValueOf(explanation).Pointer(), sync.OnceValue(func() string {
		return written(t, explanation(t), page.Options{})
	}))
	return made.(func() string)()
}

// agency is a service that can refuse: what is decided is decided in state 1.
func agency(t testing.TB) *explain.Explanation {
	m := modelOf(t, 5, []edge{{0, "ASK", 1}, {1, "ACCEPT", 2}, {1, "REFUSE", 3}, {2, "PAY", 4}, {4, "REST", 4}})
	return specimens.Asked(t, m, "Inev(PAY, REST)", explain.Options{Source: explain.Source{File: "agency.aut"}})
}

// checkedOnly returns a verdict without classes.
func checkedOnly(t testing.TB, m *lts.LTS, formula string) *explain.Explanation {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Check(context.Background(), m, f, explain.Options{Source: explain.Source{File: "checked.aut"}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
