# Formulas of computation tree logic for the dining philosophers, philosophers.aut.

# From everywhere on, somebody can still eat. Not once all have their left fork.
# expect: violated
AG EF <EAT> true

# Up to the deadlock itself, somebody could still eat: the last fork decides.
# expect: satisfied
E[EF <EAT> true U deadlock]

# Philosopher 0 can be kept from eating forever by the others, though nobody is stuck.
# expect: satisfied
EG (!<"EAT !0"> true && EF <"EAT !0"> true)
