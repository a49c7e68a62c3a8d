* fdplan: problem lamp, horizon 2
* format mps
* minimise minus the reward: reward = -(objective + 0) / 10
NAME          fdplan
ROWS
 N  obj
 E  c1
 E  c2
 L  c3
 E  c4
 G  c5
 G  c6
 G  c7
 G  c8
 G  c9
 G  c10
 L  c11
 E  c12
 G  c13
 G  c14
 G  c15
 G  c16
 G  c17
 G  c18
 G  c19
COLUMNS
    one       obj                -10
    x1        c1                   1
    x1        c5                   1
    x1        c6                  -1
    x1        c7                   1
    x1        c8                  -1
    x2        c2                  -2
    x2        c3                   1
    x2        c4                   2
    x3        c2                   1
    x3        c4                  -1
    x4        obj                 12
    x4        c3                   1
    x4        c4                   1
    x4        c5                   1
    x4        c6                  -1
    x4        c7                   1
    x4        c8                  -1
    x5        c5                  -1
    x5        c6                   2
    x5        c9                   1
    x5        c10                 -1
    x6        c7                  -2
    x6        c8                   1
    x6        c9                  -1
    x6        c10                  1
    x7        obj                -30
    x7        c9                  -2
    x7        c10                  1
    x7        c13                  1
    x7        c14                 -1
    x7        c15                  1
    x7        c16                 -1
    x8        c4                  -2
    x8        c11                  1
    x8        c12                  2
    x9        c4                   1
    x9        c12                 -1
    x10       obj                 12
    x10       c11                  1
    x10       c12                  1
    x10       c13                  1
    x10       c14                 -1
    x10       c15                  1
    x10       c16                 -1
    x11       c13                 -1
    x11       c14                  2
    x11       c17                  1
    x11       c18                 -1
    x12       c15                 -2
    x12       c16                  1
    x12       c17                 -1
    x12       c18                  1
    x13       obj                -30
    x13       c17                 -2
    x13       c18                  1
    x13       c19                  1
    x14       c12                 -2
    x15       c12                  1
RHS
    RHS       c2                   1
    RHS       c3                   1
    RHS       c8                  -1
    RHS       c9                  -1
    RHS       c11                  1
    RHS       c16                 -1
    RHS       c17                 -1
    RHS       c19                  1
BOUNDS
 FX BND       one                  1
 BV BND       x1
 BV BND       x2
 BV BND       x3
 BV BND       x4
 BV BND       x5
 BV BND       x6
 BV BND       x7
 BV BND       x8
 BV BND       x9
 BV BND       x10
 BV BND       x11
 BV BND       x12
 BV BND       x13
 BV BND       x14
 BV BND       x15
ENDATA
