! SPDX-License-Identifier: MIT
! Regions in Fortran: compile this module with your program, link with -ltdstat,
! and run it by "tdstat regions -- ./program".
!
!   use tdstat
!   call td_begin("solve")
!   ...
!   call td_end("solve")
module tdstat
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: td_begin, td_end, td_thread_init, td_flush

  interface
    subroutine c_begin(name) bind(c, name="td_begin")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_end(name) bind(c, name="td_end")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    integer(c_int) function td_thread_init() bind(c)
      import :: c_int
    end function
    subroutine td_flush() bind(c)
    end subroutine
  end interface

contains

  subroutine td_begin(name)
    character(*), intent(in) :: name

    call c_begin(trim(name)//c_null_char)
  end subroutine

  subroutine td_end(name)
    character(*), intent(in) :: name

    call c_end(trim(name)//c_null_char)
  end subroutine
end module
