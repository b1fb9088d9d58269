# Formulas of computation tree logic for Hyman's algorithm, hyman.aut.

# Mutual exclusion: both are never inside.
# expect: violated
AG [CRASH] false

# As long as the two have not met inside, there is a way on without meeting.
# expect: satisfied
A[EG [CRASH] false W <CRASH> true]
