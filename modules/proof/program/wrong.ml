(* A file that is not as it should be. *)
exception Wrong of string

let fail format = Printf.ksprintf (fun text -> raise (Wrong text)) format

(* Numbers that come one after the other, in an array that grows. *)
module Numbers = struct
  type t = { mutable values : int array; mutable count : int }

  let create () = { values = Array.make 16 0; count = 0 }

  let add x v =
    if x.count = Array.length x.values then begin
      let wider = Array.make (2 * x.count) 0 in
      Array.blit x.values 0 wider 0 x.count;
      x.values <- wider
    end;
    x.values.(x.count) <- v;
    x.count <- x.count + 1

  let get x i = if i >= 0 && i < x.count then x.values.(i) else 0
end
