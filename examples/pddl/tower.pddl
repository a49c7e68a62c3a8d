(define (problem tower) (:domain blocks) (:objects a b c d e f)
 (:init (on a b) (on b c) (ontable c) (on d e) (ontable e) (ontable f) (clear a) (clear d) (clear f) (handempty))
 (:goal (and (on f a) (on a d) (on c e))))
