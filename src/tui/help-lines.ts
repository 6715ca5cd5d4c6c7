/** What the keys do, the most needed first. */
export const helpLines = [
  'Up Down  j k  move from job to job',
  'PgUp PgDn     move by ten',
  'Home End      first job, last job',
  'enter         open a job: its files, and close it',
  'c             cancel the job (asks y/n)',
  'r             resubmit the job (asks y/n)',
  '?             this help, and back',
  'Ctrl-Z        stop for now; fg brings it back',
  'q  Ctrl-C     leave; the jobs go on',
] as const;
