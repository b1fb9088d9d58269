(* A file that is not as it should be. *)
exception Wrong of string

let fail format = Printf.ksprintf (fun text -> raise (Wrong text)) format

(* Arrays of numbers below 2^32, in 4 bytes each, which are 0 at first *)
module Ints = struct
  type t = Bytes.t

  let make n : t = Bytes.make (4 * n) '\000'
  let length (x : t) = Bytes.length x / 4
  let get (x : t) i = Int32.to_int (Bytes.get_int32_ne x (4 * i)) land 0xffffffff
  let set (x : t) i v =
    if v < 0 || v > 0xffffffff then invalid_arg "number";
    Bytes.set_int32_ne x (4 * i) (Int32.of_int v)
end

let ( .%() ) = Ints.get
let ( .%()<- ) = Ints.set

(* Numbers that come one after the other, in an array that grows. *)
module Numbers = struct
  type t = { mutable values : Ints.t; mutable count : int }

  let create () = { values = Ints.make 16; count = 0 }

  let add x v =
    let room = Ints.length x.values in
    if x.count = room then begin
      let wider = Ints.make (room + (room / 2)) in
      Bytes.blit x.values 0 wider 0 (4 * room);
      x.values <- wider
    end;
    x.values.%(x.count) <- v;
    x.count <- x.count + 1

  let get x i = if i >= 0 && i < x.count then x.values.%(i) else 0
end
