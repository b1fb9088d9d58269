package certificate

import "github.com/inev-lts/inev/lts"

// assumptions writes the assumptions about the runs that count.
func (x *writer) assumptions() {
	if x.f == nil {
		return
	}
	x.print("\"fairness\": [")
	separator := ""
	for _, a := range x.e.Fairness.Asked {
		x.print("%s%s", separator, quote(a.String()))
		separator = ", "
	}
	x.print("],\n")
}

// admitted writes whether s is admitted: whether some run that counts
// continues it. It writes nothing if all states are.
func (x *writer) admitted(s lts.State) {
	if x.f == nil || !x.f.Excludes() {
		return
	}
	x.out.WriteString(`,"admitted":`)
	if x.claimed.Admits(s) {
		x.out.WriteString("true")
	} else {
		x.out.WriteString("false")
	}
}

// fairness writes the evidence about s that exists only under assumptions.
func (x *writer) fairness(s lts.State) {
	v := x.evidence.fairEvidence
	if v == nil {
		return
	}
	if v.within != nil {
		var sets []uint32
		first, end := x.evidence.due.start[s], x.evidence.due.start[int(s)+1]
		for _, set := range v.within[first:end] {
			if set > 0 {
				sets = v.within[first:end]
			}
		}
		x.list(`,"within":[`, sets)
	}
	x.field(`,"settle":`, uint64(v.settle[s]))
	if v.home[s] == none {
		x.list(`,"home":[`, nil)
	} else {
		x.list(`,"home":[`, []uint32{v.home[s], v.from[s], v.back[s]})
	}
}

// sets writes the sets where no fair run stays.
func (x *writer) sets() {
	if v := x.evidence.fairEvidence; v != nil && v.within != nil {
		x.listSets(v.sets)
	}
}

func (x *writer) listSets(sets []neglecting) {
	x.out.WriteString("\"sets\": [")
	separator := "\n"
	for _, s := range sets {
		x.out.WriteString(separator)
		separator = ",\n"
		x.field(`{"parent":`, uint64(s.parent))
		x.field(`,"rank":`, uint64(s.rank))
		if s.missing > 0 {
			x.field(`,"missing":`, uint64(s.missing-1))
		} else {
			x.list(`,"tasks":[`, s.tasks)
		}
		x.out.WriteByte('}')
	}
	x.print("],\n")
}
