(* What is wrong in a certificate of a chain, with numbers, as "inev verify" says it. Nothing relies on this. *)
open Checker

let say = Printf.sprintf
let class_name = function Correct -> "correct" | Incorrect -> "incorrect" | Neutral -> "neutral" | Excluded -> "excluded"

(* The first of the numbers from a to b-1 of which f has something to say *)
let rec first_of a b f =
  if a >= b then None else match f a with Some text -> Some text | None -> first_of (a + 1) b f

(* The least that f gives plus one, of the numbers below n *)
let one_more n f =
  List.fold_left (fun least i -> match f i, least with
    | Some d, Some other -> Some (min (d + 1) other)
    | Some d, None -> Some (d + 1)
    | None, _ -> least) None (List.init n Fun.id)

(* What is said of the mistake, if numbers say more *)
let explain (m : Model.t) (p : chain) (c : claims) (e : evidence) x (part, s) =
  let l = Model.lts m and n = p.steps in
  let step s i = say "%d -%s-> %d" s m.labels.(l.label s i) (l.target s i) in
  let other claim value name found want =
    if found = want then None
    else match want with
      | None -> Some (say "state %d: %s is %d, but there is no evidence for it: no transition justifies %s" s claim value name)
      | Some want -> Some (say "state %d: %s is %d, but the transitions make it %d" s name (Option.get found) want) in
  let entries f = one_more (x.indegree s) (fun k -> let u = x.source s k in f u (l.label u (x.place s k))) in
  match part with
  | AtRange -> Some (say "state %d: mp is %d, but the property has %d steps" s (c.mp s) n)
  | AtEntry ->
    first_of 0 (l.degree s) (fun i ->
      let t = l.target s i in
      let brings from = adv p from (l.label s i) in
      if not (c.listed t) then Some (say "state %d is not listed, but transition %s enters it" t (step s i))
      else if brings (c.mp s) > c.mp t then Some (say "state %d: mp is %d, but by transition %s it is at least %d" t (c.mp t) (step s i) (brings (c.mp s)))
      else if brings (c.cp s) < c.cp t then Some (say "state %d: cp is %d, but by transition %s it is at most %d" t (c.cp t) (step s i) (brings (c.cp s)))
      else None)
  | AtFirst ->
    first_of 0 (c.mp s + 1) (fun j ->
      let want =
        if s = m.initial && j = 0 then Some 0
        else entries (fun u label -> let j = before p j label in if j <= c.mp u then Some (e.first u j) else None) in
      other "mp" (c.mp s) (say "first[%d]" j) (Some (e.first s j)) want)
  | AtLeast when s = m.initial && c.cp s > 0 -> Some (say "state %d: cp is %d, but it is 0 in the initial state" s (c.cp s))
  | AtLeast ->
    let want =
      if s = m.initial then Some 0
      else entries (fun u label -> if adv p (c.cp u) label = c.cp s then Some (e.least u) else None) in
    other "cp" (c.cp s) "least" (Some (e.least s)) want
  | AtCommonSuffix when l.degree s = 0 -> Some (say "state %d: cs is %d, but it is 0 in a deadlock" s (c.cs s))
  | AtCommonSuffix ->
    let brings i = advS p (c.cs (l.target s i)) (l.label s i) in
    let by = List.fold_left (fun by i -> if brings i < brings by then i else by) 0 (List.init (l.degree s) Fun.id) in
    if brings by <> c.cs s then
      Some (say "state %d: cs is %d, but the transitions make it %d, the value by %s" s (c.cs s) (brings by) (step s by))
    else first_of 1 (c.cs s + 1) (fun v ->
      let greatest = List.fold_left (fun most i ->
        if p.does (n - v + 1) (l.label s i) then most else max most (e.due (l.target s i) v)) 0 (List.init (l.degree s) Fun.id) in
      other "cs" (c.cs s) (say "due[%d]" (v - 1)) (Some (e.due s v)) (Some (greatest + 1)))
  | AtMaxSuffix ->
    let brings i = advS p (c.ms (l.target s i)) (l.label s i) in
    let over = first_of 0 (l.degree s) (fun i ->
      if brings i > c.ms s then Some (say "state %d: ms is %d, but by transition %s it is at least %d" s (c.ms s) (step s i) (brings i)) else None) in
    if over <> None then over
    else first_of 1 (c.ms s + 1) (fun v ->
      let want = one_more (l.degree s) (fun i ->
        let t = l.target s i in
        let w = rest p v (l.label s i) in
        if w <= c.ms t then Some (next_ e t w) else None) in
      other "ms" (c.ms s) (say "next[%d]" (v - 1)) (Some (e.next s v)) want)
  | AtVerdict ->
    Some (say "verdict is %s, but cs of the initial state %d is %d of %d steps" (if c.violated then "violated" else "satisfied") s (c.cs s) n)
  | AtClass ->
    first_of 0 (l.degree s) (fun i ->
      let is = class_at l p c s i in
      if c.class_of s i = is then None
      else Some (say "transition %s: class is %s, but the prefixes and suffixes of its ends make it %s" (step s i) (class_name (c.class_of s i)) (class_name is)))
  | AtCorrect | AtIncorrect | AtNeutral | AtExcluded ->
    let k = match part with AtCorrect -> Correct | AtIncorrect -> Incorrect | AtNeutral -> Neutral | _ -> Excluded in
    Some (say "classes: %d transitions are said to be %s, but %d are" (c.count k) (class_name k) (members l c k 0))
  | _ -> None
