(* JSON whose members come in a known order, read as "inev verify" reads it. *)
open Wrong

type t = {
  file : in_channel;
  buffer : Bytes.t; mutable at : int; mutable filled : int; (* what was read ahead *)
  mutable line : int;
  mutable fresh : bool; (* an object or array was just opened: no comma comes before its first element *)
  mutable ended : bool;
  string : Buffer.t;
  mutable escapes : bool; (* whether the last string has escapes *)
}

let create file = {
  file; buffer = Bytes.create 65536; at = 0; filled = 0; line = 1; fresh = true; ended = false;
  string = Buffer.create 64; escapes = false }

let wrong x format = Printf.ksprintf (fun text -> fail "line %d: %s" x.line text) format

(* The next byte, which is left to be read; 0 at the end. *)
let rec look x =
  if x.at < x.filled then begin
    let c = Bytes.unsafe_get x.buffer x.at in
    if c = '\000' then wrong x "found a byte 0" else c
  end else if x.ended then '\000'
  else begin
    x.at <- 0;
    x.filled <- input x.file x.buffer 0 (Bytes.length x.buffer);
    x.ended <- x.filled = 0;
    look x
  end

let next x =
  let c = look x in
  if c <> '\000' then x.at <- x.at + 1;
  if c = '\n' then x.line <- x.line + 1;
  c

let rec peek x =
  match look x with
  | ' ' | '\t' | '\r' | '\n' -> ignore (next x); peek x
  | c -> c

let expect x c =
  if peek x = c then ignore (next x)
  else if x.ended then wrong x "the file ends where %C was expected" c
  else wrong x "found %C where %C was expected" (look x) c

let opening x c = expect x c; x.fresh <- true
let ending x c = expect x c; x.fresh <- false

let element x =
  if not x.fresh then expect x ',';
  x.fresh <- false

(* Goes on to the next element of an array, false if there is none. *)
let more x = if peek x = ']' then (ending x ']'; false) else (element x; true)

let number x =
  let first = peek x in
  let rec digits value count =
    match look x with
    | '0' .. '9' as c ->
      if count > 0 && first = '0' then wrong x "a number begins with 0";
      ignore (next x);
      let value = (10 * value) + Char.code c - 48 in
      if value >= 0xffffffff then wrong x "found a number that is too large";
      digits value (count + 1)
    | '.' | 'e' | 'E' -> wrong x "a number from 0 was expected"
    | _ -> if count = 0 then wrong x "a number from 0 was expected" else value in
  digits 0 0

(* The length of the character of UTF-8 that begins at i, 0 if there is none. *)
let utf8 s i =
  let byte k = if i + k < String.length s then Char.code s.[i + k] else 0 in
  let rest k = byte k land 0xc0 = 0x80 in
  match byte 0 with
  | a when a < 0x80 -> 1
  | a when a >= 0xc2 && a < 0xe0 && rest 1 -> 2
  | a when a >= 0xe0 && a < 0xf0 && rest 1 && rest 2 ->
    if (a = 0xe0 && byte 1 < 0xa0) || (a = 0xed && byte 1 >= 0xa0) then 0 else 3
  | a when a >= 0xf0 && a < 0xf5 && rest 1 && rest 2 && rest 3 ->
    if (a = 0xf0 && byte 1 < 0x90) || (a = 0xf4 && byte 1 >= 0x90) then 0 else 4
  | _ -> 0

(* The text with U+FFFD for each byte that is no UTF-8. *)
let clean s =
  let b = Buffer.create (String.length s) and i = ref 0 in
  while !i < String.length s do
    (match utf8 s !i with
     | 0 -> Buffer.add_string b "\xef\xbf\xbd"; incr i
     | n -> Buffer.add_string b (String.sub s !i n); i := !i + n)
  done;
  Buffer.contents b

let hex x =
  let digit v _ =
    match next x with
    | '0' .. '9' as c -> (16 * v) + Char.code c - 48
    | 'a' .. 'f' as c -> (16 * v) + Char.code c - 87
    | 'A' .. 'F' as c -> (16 * v) + Char.code c - 55
    | _ -> wrong x "a string is malformed" in
  List.fold_left digit 0 [ (); (); (); () ]

let text x =
  expect x '"';
  x.escapes <- false;
  let b = x.string and plain = ref true in
  Buffer.clear b;
  let unicode u = Buffer.add_utf_8_uchar b (if Uchar.is_valid u then Uchar.of_int u else Uchar.rep) in
  (* A first half of a pair is kept until the second one comes. *)
  let rec go half =
    let flush () = if half >= 0 then unicode 0xfffd in
    match next x with
    | '"' -> flush ()
    | '\\' ->
      x.escapes <- true;
      (match next x with
       | 'u' ->
         let u = hex x in
         if half >= 0 && u >= 0xdc00 && u < 0xe000 then begin
           unicode (0x10000 + ((half - 0xd800) lsl 10) + (u - 0xdc00));
           go (-1)
         end else begin
           flush ();
           if u >= 0xd800 && u < 0xdc00 then go u else (unicode u; go (-1))
         end
       | c ->
         flush ();
         Buffer.add_char b (match c with
           | '"' | '\\' | '/' -> c
           | 'b' -> '\b' | 'f' -> '\012' | 'n' -> '\n' | 'r' -> '\r' | 't' -> '\t'
           | _ -> wrong x "a string is malformed");
         go (-1))
    | '\000' -> wrong x "the file ends in a string"
    | c when c < ' ' -> wrong x "a string is malformed"
    | c ->
      flush ();
      if c > '~' then plain := false;
      Buffer.add_char b c;
      go (-1) in
  go (-1);
  if !plain then Buffer.contents b else clean (Buffer.contents b)

(* Goes on to the value of the next member, which is one of these names. *)
let member_of x names =
  element x;
  let found = text x in
  if x.escapes || not (List.mem found names) then wrong x "found the member %S where %S was expected" found (List.hd names);
  expect x ':';
  found

let member x name = ignore (member_of x [ name ])

let word x words =
  let found = text x in
  match List.assoc_opt found words with
  | Some v -> v
  | None -> wrong x "found %S, which cannot stand here" found

(* Reads null, true or false if it comes next. *)
let literal x w =
  peek x = w.[0] && (String.iter (fun c -> if next x <> c then wrong x "%s was expected" w) w; true)

let truth x = literal x "true" || (not (literal x "false") && wrong x "true or false was expected")

let finish x = if peek x <> '\000' then wrong x "found %C behind the certificate" (look x)
