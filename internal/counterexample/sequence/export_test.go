package sequence

var ParseBehaviour = parseBehaviour
