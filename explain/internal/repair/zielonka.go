package repair

import (
	"slices"

	"github.com/inev-lts/inev/property"
)

// attract returns the nodes of the set with a depth where a player can force a run to some nodes.
func (b *board) attract(to []uint32, mine bool, depth uint32) []uint32 {
	b.search++
	all := append([]uint32{}, to...)
	for _, v := range to {
		b.met[v], b.by[v] = b.search, v
	}
	for next := 0; next < len(all); next++ {
		v := all[next]
		b.work += int64(b.back[v+1] - b.back[v])
		for _, u := range b.from[b.back[v]:b.back[v+1]] {
			if b.met[u] == b.search || b.depth[u] < depth || b.mine[u] != mine && !b.isLast(u, depth) {
				continue
			}
			b.met[u], b.by[u] = b.search, v
			all = append(all, u)
		}
	}
	return all
}

// isLast counts an edge from a node to one that was met, and reports whether it is the last
// of those that stay in a set.
func (b *board) isLast(u, depth uint32) bool {
	if b.seen[u] != b.search {
		b.seen[u], b.left[u] = b.search, 0
		for _, w := range b.to[b.first[u]:b.first[u+1]] {
			if b.depth[w] >= depth {
				b.left[u]++
			}
		}
	}
	b.left[u]--
	return b.left[u] == 0
}

// take removes nodes from a set, and gives them to a player.
func (b *board) take(nodes []uint32, depth uint32, wins []bool, mine bool) {
	for _, v := range nodes {
		b.depth[v] = depth - 1
		wins[v] = mine
	}
}

// zielonka decides the nodes of the set with a depth, where every node has a successor. It takes
// all of them out of the set, and keeps the slice.
func (b *board) zielonka(nodes []uint32, depth uint32, wins []bool) error {
	for {
		nodes = slices.DeleteFunc(nodes, func(v uint32) bool { return b.depth[v] < depth })
		if err := b.spend(len(nodes)); err != nil || len(nodes) == 0 {
			return err
		}
		all := property.Marks(0)
		for _, v := range nodes {
			all |= b.marks[v]
		}
		mine, some := b.condition.accept.Holds(all), false
		for _, fewer := range b.condition.opposed(all) {
			var err error
			if some, err = b.leave(nodes, depth, fewer, wins, mine); err != nil {
				return err
			}
			if some {
				break
			}
		}
		if !some {
			b.take(nodes, depth, wins, mine)
			return nil
		}
	}
}

// leave takes nodes out of a set, whose colours are to a player's liking, where the other
// one wins by keeping to fewer colours, until there are none. It reports whether there were some.
//
// What the other one loses by is attracted once. A node that is taken out leaves the attractor as it
// is but for what was attracted by it: that alone is looked at again. So a round costs what it
// takes out and what was attracted by that; a new attractor would cost O(S + T). On a line of
// places where each is lost once the next one is, all rounds together cost O(S + T). At worst they
// are still quadratic: nodes can be attracted by others in every round.
func (b *board) leave(nodes []uint32, depth uint32, fewer property.Marks, wins []bool, mine bool) (some bool, err error) {
	sub := b.keep(nodes, depth, fewer, mine)
	for len(sub) > 0 {
		if err := b.zielonka(slices.Clone(sub), depth+1, wins); err != nil {
			return false, err
		}
		var lost []uint32
		for _, v := range sub {
			if b.depth[v] = depth + 1; wins[v] != mine {
				lost = append(lost, v)
			}
		}
		if len(lost) == 0 {
			break
		}
		some = true
		out := b.attract(lost, !mine, depth)
		b.take(out, depth, wins, !mine)
		free := b.letGo(out, depth, mine)
		b.attractAgain(free, depth, mine)
		sub = slices.DeleteFunc(append(sub, free...), func(v uint32) bool { return b.depth[v] <= depth })
		if err := b.spend(len(sub)); err != nil {
			return false, err
		}
	}
	for _, v := range sub {
		b.depth[v] = depth
	}
	return some, nil
}

// keep returns the nodes of a set where a player cannot force a run to others than fewer colours,
// and makes them a set within it.
func (b *board) keep(nodes []uint32, depth uint32, fewer property.Marks, mine bool) (sub []uint32) {
	var more []uint32
	for _, v := range nodes {
		if b.marks[v]&^fewer != 0 {
			more = append(more, v)
		}
	}
	b.attract(more, mine, depth)
	for _, v := range nodes {
		if b.met[v] != b.search {
			b.depth[v] = depth + 1
			sub = append(sub, v)
		}
	}
	return sub
}

// letGo returns the nodes that were attracted by others that were taken out, or let go: a player
// no longer forces a run from there by the same steps. They become part of the set within.
func (b *board) letGo(out []uint32, depth uint32, mine bool) (free []uint32) {
	for next := 0; next < len(out)+len(free); next++ {
		var w uint32
		if next < len(out) {
			w = out[next]
		} else {
			w = free[next-len(out)]
		}
		b.work += int64(b.back[w+1] - b.back[w])
		for _, u := range b.from[b.back[w]:b.back[w+1]] {
			if b.depth[u] != depth || b.by[u] == u || b.mine[u] == mine && b.by[u] != w {
				continue
			}
			b.depth[u] = depth + 1
			free = append(free, u)
		}
	}
	return free
}

// attractAgain takes nodes back from the set within if a player can force a run there in another way
// to what is attracted.
func (b *board) attractAgain(free []uint32, depth uint32, mine bool) {
	b.search++
	var back []uint32
	for _, u := range free {
		b.seen[u], b.left[u] = b.search, 0
		ways := b.to[b.first[u]:b.first[u+1]]
		b.work += int64(len(ways))
		for _, w := range ways {
			switch {
			case b.depth[w] > depth:
				b.left[u]++
			case b.depth[w] == depth && b.mine[u] == mine && b.met[u] != b.search:
				b.met[u], b.by[u] = b.search, w
				back = append(back, u)
			}
		}
		if b.mine[u] != mine && b.left[u] == 0 {
			b.met[u], b.by[u] = b.search, ways[0]
			back = append(back, u)
		}
	}
	for _, u := range back {
		b.depth[u] = depth
	}
	for next := 0; next < len(back); next++ {
		v := back[next]
		b.work += int64(b.back[v+1] - b.back[v])
		for _, u := range b.from[b.back[v]:b.back[v+1]] {
			if b.seen[u] != b.search || b.depth[u] == depth {
				continue
			}
			if b.left[u]--; b.mine[u] == mine || b.left[u] == 0 {
				b.depth[u], b.by[u] = depth, v
				back = append(back, u)
			}
		}
	}
}
