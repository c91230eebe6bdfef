#!/bin/sh
# What the tasks of the chaos run do. Each execution leaves a line when it begins and one when it ends; the lock is
# held by the whole tree, so a second execution beside a living one is noticed.
# Use: child.sh <what> <seconds>, with CHAOS_FOLDER in the environment.
line() {
  printf '%s %s %s %s %s\n' "$1" "$NEXTRUN_RUN_ID" "$NEXTRUN_ATTEMPT" "$NEXTRUN_RUN_KEY" "$$" >>"$CHAOS_FOLDER/record"
}
exec 9>>"$CHAOS_FOLDER/locks/$NEXTRUN_AUTOMATION_ID"
flock -n 9 || line overlap
line begin
echo "begun $1"
case "$1" in
  slow) sleep "$2" ;;
  stubborn) trap '' TERM INT; sleep "$2" ;;
  forks) sleep "$2" & (setsid sleep "$2" &) ; wait ;;
  leaves) setsid sleep 30 & sleep "$2" ;;
  flood) head -c 3000000 /dev/zero | tr '\0' 'x' ;;
  fails) line end; exit 3 ;;
esac
line end
